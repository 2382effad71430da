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
        abdom=Abdom academ=Acad acoust=Acoust acta=Acta addict=Addict administ=Adm adolesc=Adolesc advanc=Adv
        africa=Afr ag=Ag aging=Aging allerg=Allergy america=Am anaesth=Anaesth anaesthesiol=Anaesthesiol anal=Anal
        anatom=Anat anesth=Anesth anesthesiol=Anesthesiol angiolog=Angiol animal=Anim annal=Ann annual=Annu
        antimicrob=Antimicrob applied=Appl archiv=Arch arthrit=Arthritis artific=Artif asia=Asia asian=Asian
        associat=Assoc atheroscler=Atheroscler audiol=Audiol australas=Australas australia=Aust bacteriol=Bacteriol
        behavi=Behav biochem=Biochem bioeth=Bioeth biolog=Biol biomed=Biomed biophys=Biophys biotechnol=Biotechnol
        blood=Blood bone=Bone brain=Brain brazil=Braz breast=Breast british=Br bulletin=Bull burn=Burns canad=Can
        cancer=Cancer cardiac=Card cardiol=Cardiol cardiovasc=Cardiovasc care=Care case=Case cell=Cell cellul=Cell
        center=Cent central=Cent centre=Cent chem=Chem chemother=Chemother chest=Chest child=Child chin=Chin
        china=China chinese=Chin chronic=Chronic circulat=Circ clinic=Clin cognit=Cogn colleg=Coll
        colorect=Colorectal communic=Commun communit=Community comparat=Comp complement=Complement comput=Comput
        contemp=Contemp contracep=Contracept control=Control counsel=Couns critic=Crit current=Curr cytol=Cytol
        danish=Dan decis=Decis dement=Dement dent=Dent derm=Dermatol dermatol=Dermatol develop=Dev diabet=Diabetes
        diagnos=Diagn diagnosis=Diagn diet=Diet digest=Dig disabil=Disabil discuss=Discuss disease=Dis diseases=Dis
        disord=Disord doctor=Doct drug=Drug drugs=Drugs ear=Ear east=East econom=Econ educat=Educ electro=Electro
        electron=Electron embryol=Embryol emergen=Emerg endocrin=Endocrinol endoscop=Endosc engineer=Eng
        environ=Environ epidemiol=Epidemiol epilep=Epilepsy europ=Eur european=Eur evaluat=Eval evidenc=Evid
        exercis=Exerc experiment=Exp eye=Eye facial=Fac famil=Fam fertil=Fertil food=Food foot=Foot forens=Forensic
        foundat=Found frontier=Front function=Funct gastroenterol=Gastroenterol gastrointestin=Gastrointest
        gener=Gen genes=Genes genet=Genet genom=Genomics geriatr=Geriatr gerontol=Gerontol global=Glob growth=Growth
        gynaecol=Gynaecol gynecol=Gynecol haematol=Haematol haemost=Haemost harvard=Harv head=Head health=Health
        hear=Hear heart=Heart hematol=Hematol hemost=Hemost hepatol=Hepatol histol=Histol histor=Hist hormon=Horm
        hospital=Hosp human=Hum hygien=Hyg hypertens=Hypertens imag=Imaging immunol=Immunol implant=Implant
        india=India indian=Indian indust=Ind infect=Infect inflamm=Inflamm inform=Inform injur=Inj insect=Insect
        institut=Inst instrum=Instrum insur=Insur integrat=Integr intensiv=Intensive intern=Intern internat=Int
        intervent=Interv investig=Invest ir=Ir irish=Ir isr=Isr ital=Ital japan=Jpn japanese=Jpn journal=J
        kidney=Kidney korea=Korean laborat=Lab laryng=Laryngol laser=Laser latin=Lat law=Law lectur=Lect legal=Legal
        letter=Lett leuk=Leuk librar=Libr lipid=Lipid liver=Liver lung=Lung lymph=Lymph magazin=Mag magnet=Magn
        manag=Manage marin=Mar matern=Matern mathemat=Math maxillofac=Maxillofac measurem=Meas medecine=Med
        medic=Med medicin=Med membran=Membr mental=Ment metabol=Metab method=Methods microbiol=Microbiol
        microscop=Microsc midwif=Midwifery milit=Mil model=Model molecul=Mol monograph=Monogr mortal=Mortal
        muscl=Muscle mycol=Mycol nation=Natl natur=Nat necro=Necro neonat=Neonatal nephrol=Nephrol nerv=Nerv
        netherlands=Neth network=Netw neuro=Neuro neurol=Neurol neurosci=Neurosci neurosurg=Neurosurg new=N
        nordic=Nord north=N nucl=Nucl nurs=Nurs nutrit=Nutr obes=Obes observ=Obs obstet=Obstet occup=Occup
        oncol=Oncol open=Open ophthalmol=Ophthalmol optic=Opt oral=Oral organ=Organ organs=Organs orthop=Orthop
        otol=Otol otolaryngol=Otolaryngol otorhinolaryngol=Otorhinolaryngol outcom=Outcomes paediatr=Paediatr
        pain=Pain palliat=Palliat parasit=Parasit parasitol=Parasitol patholog=Pathol pathophysiol=Pathophysiol
        patient=Patient pediatr=Pediatr peer=Peer peptid=Pept perinat=Perinat personal=Pers perspect=Perspect
        pharmac=Pharm pharmacol=Pharmacol philosoph=Philos physic=Phys physicians=Physicians physiol=Physiol
        physiother=Physiother planning=Plann plant=Plant plastic=Plast polic=Policy population=Popul
        postgrad=Postgrad practic=Pract pregnan=Pregnancy prevent=Prev primar=Prim proceed=Proc process=Process
        product=Prod profession=Prof program=Program progress=Prog prostat=Prostate protein=Protein
        psychiat=Psychiatry psycholog=Psychol psychother=Psychother public=Public pulmon=Pulm qualit=Qual quarter=Q
        radiat=Radiat radical=Radic radiol=Radiol recept=Recept receptor=Recept reconstruct=Reconstr record=Rec
        register=Regist regulat=Regul rehabil=Rehabil relat=Relat renal=Ren report=Rep reproduc=Reprod research=Res
        reson=Reson respir=Respir resuscit=Resuscitation review=Rev reviews=Rev rheumat=Rheumatol risk=Risk royal=R
        rural=Rural safet=Saf scandinav=Scand school=Sch scien=Sci selec=Sel seminar=Semin series=Ser service=Serv
        services=Serv sexual=Sex skin=Skin sleep=Sleep social=Soc societ=Soc south=S southeast=Southeast spine=Spine
        sport=Sports statist=Stat stem=Stem stroke=Stroke structur=Struct studi=Stud substanc=Subst supplement=Suppl
        surger=Surg surgic=Surg survey=Surv swedish=Swed swiss=Swiss system=Syst teach=Teach technic=Tech
        techniqu=Tech technol=Technol theor=Theor therap=Ther thorac=Thorac thromb=Thromb thyroid=Thyroid
        tissue=Tissue tobacco=Tob today=Today topic=Top toxic=Toxic toxicol=Toxicol transact=Trans transfus=Transfus
        translat=Transl transplant=Transplant traumat=Trauma treat=Treat trial=Trials tropic=Trop tubercul=Tuberc
        turk=Turk ultraso=Ultrasound univers=Univ university=Univ updat=Update urban=Urban urol=Urol vaccin=Vaccine
        vascul=Vasc veterin=Vet victim=Vict viral=Viral virol=Virol virus=Virus vision=Vision visual=Vis
        vitamin=Vitam week=Wkly west=West women=Womens world=World wound=Wound yearbook=Yearb""".split()
    )
}
# Endings that fall off a word which no row knows: "Malariology" is "Malariol"; the first that fits.
_ENDINGS = tuple(
    pair.split("=")
    for pair in """ologies=ol ological=ol ologic=ol ology=ol ologica=ol ologia=ol ologie=ol genetics=genet genetic=genet
    chemistry=chem chemical=chem iatrics=iatr iatric=iatr therapeutics=ther therapy=ther surgery=surg surgical=surg
    sciences=sci science=sci graphy=gr pathy=pathy metry=metr ility=il ivity=iv idity=id edity=ed unity=un ional=
    ation=at ations=at osis=osis itis=itis""".split()
)
_SHORTEST = 3  # letters that must be left before an ending
_LONGEST_STEM = max(map(len, _STEMS))
_PARTS = re.compile(r"[:=(\[].*$", re.DOTALL)
_LONGEST = 500  # characters; no title is longer


def guess_abbreviation(title: str) -> str:
    """A guess at NLM's abbreviation: words shortened by a table, small words left out, no stops.

    NLM's own choice differs for one English title in four, so what is guessed may be shown and never delivered.
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
            return _capital(min(_STEMS[plain[:length]], word, key=len))
    for ending, short in _ENDINGS:
        if plain.endswith(ending) and len(plain) >= len(ending) + _SHORTEST:
            return _capital(plain.removesuffix(ending) + short)
    return _capital(word)


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
