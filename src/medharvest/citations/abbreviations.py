"""A guess at the abbreviation of a journal's title, in NLM's style; never more than a guess."""

from __future__ import annotations

import re

# Words left out wherever they stand; a title of one word is not abbreviated.
_LEFT_OUT = frozenset(
    """a an and at by de del della der des di die du e el en et for from für i il in la le les of on op og och para per
    pour pro the to und van von y zur""".split()
)
# Beginning of a word -> its abbreviation; the longest that fits wins, a word that no row knows stays whole.
_STEMS: dict[str, str] = {
    stem: short
    for stem, _, short in (
        pair.partition("=")
        for pair in """
    abdom=Abdom academ=Acad acta=Acta addict=Addict administ=Adm adolesc=Adolesc advanc=Adv africa=Afr ag=Ag
    aging=Aging allerg=Allergy america=Am anaesth=Anaesth anal=Anal anatom=Anat anesth=Anesth angiolog=Angiol
    annal=Ann annual=Annu antimicrob=Antimicrob applied=Appl archiv=Arch arthrit=Arthritis asia=Asia asian=Asian
    associat=Assoc atheroscler=Atheroscler australas=Australas australia=Aust behavi=Behav biochem=Biochem
    bioeth=Bioeth biolog=Biol biomed=Biomed biophys=Biophys biotechnol=Biotechnol blood=Blood bone=Bone brain=Brain
    brazil=Braz breast=Breast british=Br bulletin=Bull burn=Burns canad=Can cancer=Cancer cardiac=Card
    cardiol=Cardiol cardiovasc=Cardiovasc care=Care case=Case cell=Cell cellul=Cell central=Cent chem=Chem
    chemother=Chemother chest=Chest child=Child chin=Chin china=China chinese=Chin chronic=Chronic circulat=Circ
    clinic=Clin cognit=Cogn colleg=Coll colorect=Colorectal communic=Commun communit=Community comparat=Comp
    complement=Complement comput=Comput contemp=Contemp contracep=Contracept control=Control critic=Crit
    current=Curr cytol=Cytol danish=Dan decis=Decis dement=Dement dent=Dent derm=Dermatol dermatol=Dermatol
    develop=Dev diabet=Diabetes diagnos=Diagn diet=Diet digest=Dig disabil=Disabil disease=Dis diseases=Dis
    disord=Disord drug=Drug drugs=Drugs ear=Ear east=East econom=Econ educat=Educ electro=Electro embryol=Embryol
    emergen=Emerg endocrin=Endocrinol endoscop=Endosc engineer=Eng environ=Environ epidemiol=Epidemiol
    epilep=Epilepsy europ=Eur european=Eur evaluat=Eval evidenc=Evid experiment=Exp eye=Eye famil=Fam fertil=Fertil
    food=Food foot=Foot forens=Forensic foundat=Found gastroenterol=Gastroenterol gener=Gen genet=Genet
    genom=Genomics geriatr=Geriatr gerontol=Gerontol global=Glob gynaecol=Gynaecol gynecol=Gynecol haematol=Haematol
    head=Head health=Health heart=Heart hematol=Hematol hepatol=Hepatol histol=Histol histor=Hist hospital=Hosp
    human=Hum hygien=Hyg hypertens=Hypertens imag=Imaging immunol=Immunol implant=Implant india=India indian=Indian
    indust=Ind infect=Infect inflamm=Inflamm inform=Inform injur=Inj institut=Inst instrum=Instrum insur=Insur
    intensiv=Intensive intern=Intern internat=Int intervent=Interv investig=Investig ir=Ir irish=Ir isr=Isr
    ital=Ital japan=Jpn japanese=Jpn journal=J kidney=Kidney korea=Korean laborat=Lab laryng=Laryngol latin=Lat
    law=Law legal=Leg letter=Lett leuk=Leuk librar=Libr lipid=Lipid liver=Liver lung=Lung lymph=Lymph magazin=Mag
    manag=Manag matern=Matern measurem=Meas medecine=Med medic=Med medicin=Med mental=Ment metabol=Metab
    method=Methods microbiol=Microbiol midwif=Midwifery milit=Mil model=Model molecul=Mol monograph=Monogr
    mortal=Mortal muscl=Muscle nation=Natl natur=Nat neonat=Neonatal nephrol=Nephrol nerv=Nerv netherlands=Neth
    neuro=Neuro neurol=Neurol neurosci=Neurosci neurosurg=Neurosurg new=N nordic=Nord north=N nucl=Nucl nurs=Nurs
    nutrit=Nutr obes=Obes observ=Obs obstet=Obstet occup=Occup oncol=Oncol open=Open ophthalmol=Ophthalmol oral=Oral
    organ=Organ orthop=Orthop otol=Otol otolaryngol=Otolaryngol otorhinolaryngol=Otorhinolaryngol outcom=Outcomes
    paediatr=Paediatr pain=Pain palliat=Palliat parasit=Parasit patholog=Pathol patient=Patient pediatr=Pediatr
    peer=Peer perinat=Perinat perspect=Perspect pharmac=Pharm pharmacol=Pharmacol philosoph=Philos physic=Phys
    physiol=Physiol physiother=Physiother plastic=Plast polic=Policy postgrad=Postgrad practic=Pract
    pregnan=Pregnancy prevent=Prev primar=Prim proceed=Proc product=Prod profession=Prof program=Program
    progress=Prog prostat=Prostate protein=Protein psychiat=Psychiatry psycholog=Psychol psychother=Psychother
    public=Public pulmon=Pulm qualit=Qual quarter=Q radiat=Radiat radiol=Radiol reconstruct=Reconstr record=Rec
    register=Regist rehabil=Rehabil renal=Ren report=Rep reproduc=Reprod research=Res respir=Respir
    resuscit=Resuscitation review=Rev reviews=Rev rheumat=Rheumatol risk=Risk royal=R rural=Rural safet=Saf
    scandinav=Scand scien=Sci sexual=Sex skin=Skin sleep=Sleep social=Soc societ=Soc south=S southeast=Southeast
    spine=Spine sport=Sports statist=Stat stem=Stem stroke=Stroke studi=Stud substanc=Subst supplement=Suppl
    surger=Surg surgic=Surg swedish=Swed swiss=Swiss system=Syst teach=Teach technol=Technol theor=Theor therap=Ther
    thorac=Thorac thromb=Thromb thyroid=Thyroid tissue=Tissue today=Today toxicol=Toxicol transfus=Transfus
    translat=Transl transplant=Transplant traumat=Trauma treat=Treat trial=Trials tropic=Trop tubercul=Tuberc
    ultraso=Ultrasound univers=Univ urban=Urban urol=Urol vaccin=Vaccine vascul=Vasc veterin=Vet virol=Virol
    vision=Vis west=West women=Womens world=World wound=Wound yearbook=Yearb""".split()
    )
}
_LONGEST_STEM = max(map(len, _STEMS))
_PARTS = re.compile(r"[:=(\[].*$", re.DOTALL)
_LONGEST = 500  # characters; no title is longer


def guess_abbreviation(title: str) -> str:
    """A guess at NLM's abbreviation: words shortened by a table, small words left out, no stops.

    NLM's own choice differs for one title in several, so what is guessed may be shown and never delivered.
    """
    words: list[str] = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", _PARTS.sub("", title[:_LONGEST]))
    kept = [word for word in words if word.lower() not in _LEFT_OUT] or words
    if len(kept) == 1:
        return kept[0]
    return " ".join(map(_shortened, kept))


def _shortened(word: str) -> str:
    if word.isupper():  # an acronym, such as BMJ
        return word
    plain = word.lower()
    for length in range(min(len(plain), _LONGEST_STEM), 1, -1):
        if plain[:length] in _STEMS:
            short = _STEMS[plain[:length]]
            return short if len(short) < len(word) else word[:1].upper() + word[1:]
    return word[:1].upper() + word[1:]
