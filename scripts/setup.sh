# Sourced by the launcher and the scripts, from the root of the checkout: makes .venv from a lock, once.
#   prepare run|dev

lock_of() { if [ "$1" = dev ]; then echo requirements-dev.lock; else echo requirements.lock; fi; }

say() { printf '%s\n' "$*" >&2; }

# The newest Python that will do; MEDHARVEST_PYTHON overrules. An active virtual environment may lack pip: then the
# Python that it was made from.
find_python() {
  for name in ${MEDHARVEST_PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    made_from=$("$name" -c 'import sys; print(sys.base_prefix)' 2>/dev/null || true)
    for one in "$name" "${made_from:+$made_from/bin/python3}"; do
      if will_do "$one"; then echo "$one"; return; fi
    done
  done
  say "medharvest: no Python 3.11 or later with pip found; hint: install one, or name it in MEDHARVEST_PYTHON"
  return 1
}

will_do() {
  "$1" -c 'import importlib.util, sys; sys.exit(sys.version_info < (3, 11) or not importlib.util.find_spec("pip"))' \
    2>/dev/null
}

# One process at a time; a holder that died is not waited for.
take_lock() {
  waited=0
  until mkdir .venv.lock 2>/dev/null; do
    if [ ! -d .venv.lock ]; then refuse_lock || return 1; continue; fi
    holder=$(cat .venv.lock/pid 2>/dev/null || echo 0)
    if [ "$holder" = 0 ]; then waited=$((waited + 1)); else waited=0; fi
    if [ "$waited" -gt 5 ] || { [ "$holder" != 0 ] && ! kill -0 "$holder" 2>/dev/null; }; then
      rm -rf .venv.lock
      continue
    fi
    [ -n "${told:-}" ] || say "medharvest: another process is setting up, waiting"
    told=1
    sleep 1
  done
  echo $$ > .venv.lock/pid
  trap 'rm -rf .venv.lock' EXIT
  trap 'exit 130' INT TERM
}

# mkdir failed though no lock is there: its holder has just removed it, or it cannot be made at all.
refuse_lock() {
  if why=$(LC_ALL=C mkdir .venv.lock 2>&1); then rmdir .venv.lock; return; fi
  if [ -d .venv.lock ]; then return; fi
  say "medharvest: cannot set up in $PWD: ${why##*: }; hint: the folder must be writable; clone into one that is"
  return 1
}

# A lock names every package, so nothing is resolved: older versions of pip would otherwise reach for a release newer
# than the locked one where a package asks for another with an extra, as in coverage[toml].
install_lock() {
  log=.venv/install.log
  if "$1" -m pip --python .venv install --quiet --disable-pip-version-check --no-input --only-binary :all: --no-deps \
    --require-hashes -r "$2" >"$log" 2>&1; then return; fi
  if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    say "medharvest: your package index serves other files than the lock names; installing the same versions unchecked:"
    grep -E '^ +[A-Za-z0-9._-]+==' "$log" >&2 || true
    sed -e 's/ *\\$//' -e '/^ *--hash=/d' "$2" > .venv/unhashed.txt
    if "$1" -m pip --python .venv install --quiet --disable-pip-version-check --no-input --only-binary :all: \
      --no-deps -r .venv/unhashed.txt >"$log" 2>&1; then return; fi
  fi
  cat "$log" >&2
  say "medharvest: packages could not be installed; hint: check the network and pip's settings, then try again"
  return 1
}

# What an up-to-date environment was made from: the lock, and the place of the checkout.
stamp_of() { printf '%s %s\n' "$(cksum < "$(lock_of "$1")")" "$PWD"; }

is_current() { [ -x .venv/bin/python ] && [ "$(cat ".venv/.$1" 2>/dev/null)" = "$(stamp_of "$1")" ]; }

prepare() {
  if is_current "$1"; then return; fi
  lock=$(lock_of "$1")
  take_lock || return 1
  if ! is_current "$1"; then
    python=$(find_python)
    began=$(date +%s)
    if [ ! -x .venv/bin/python ]; then
      say "medharvest: first start: making a Python environment in .venv (only this once)"
      rm -rf .venv
      "$python" -m venv --without-pip .venv
    fi
    say "medharvest: installing $(grep -c '^[^ #].*==' "$lock") packages from $lock; this takes a minute or two"
    install_lock "$python" "$lock"
    site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    printf '%s\n' "$PWD/src" > "$site/medharvest.pth"
    stamp_of "$1" > ".venv/.$1"
    # the development lock holds all of the other: both are up to date now
    if [ "$1" = dev ]; then stamp_of run > .venv/.run; fi
    say "medharvest: ready after $(($(date +%s) - began)) s; later starts need no setting up"
  fi
  rm -rf .venv.lock
  trap - EXIT INT TERM
}
