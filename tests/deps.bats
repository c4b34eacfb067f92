# What installs what is missing, with package managers that only note what they are told.
load helper

# stub NAME [SCRIPT]: a command of that name, which notes how it was called.
stub() {
	mkdir -p stubs
	{
		echo '#!/bin/sh'
		printf 'echo "%s $*" >>"%s/called"\n' "$1" "$TMP"
		echo "${2-}"
	} >"stubs/$1"
	chmod +x "stubs/$1"
}

# bare: a tree of its own, and no package manager, sudo or doas but those of ./stubs. Its
# user is not root.
bare() {
	local name

	mkdir -p tree bin stubs
	cp -R "$ROOT/.make" tree
	for name in sh cat chmod chown dirname dpkg env grep id mkdir mktemp rm sed sleep tr true; do
		ln -s "$(command -v "$name" || echo /none)" "bin/$name"
	done
	stub id 'echo 1000'
	: >called
}

# deps GROUP...: for nobody but what is in ./stubs and ./bin.
deps() {
	run --separate-stderr env PATH="$TMP/stubs:$TMP/bin" TMPDIR="$TMP" tree/.make/deps "$@"
}

@test "where all is there, it says and does nothing" {
	bare
	stub apk 'exit 1'
	stub jq
	deps run
	ended 0
	is "$output$stderr" ''
	is "$(<called)" ''
}

@test "what takes root is shown, and not done, where there is no way to be root" {
	bare
	stub apk
	deps run
	ended 77
	is "$(sed "s|$TMP|TMP|" <<<"$stderr")" 'deps: missing: jq
deps: will run:
deps:   apk add --update-cache jq
deps: this takes root, and there is neither sudo nor doas; as root, run: TMP/tree/.make/deps run'
	is "$(grep -v '^id' called)" ''
}

@test "what is shown is what is run, by sudo where that is needed" {
	bare
	# shellcheck disable=SC2016 # for the stub
	stub sudo '"$@"'
	stub pacman "printf '#!/bin/sh\n' >'$TMP/stubs/jq'; chmod +x '$TMP/stubs/jq'"
	deps run
	ended 0
	is "$stderr" 'deps: missing: jq
deps: will run:
deps:   sudo pacman -S --needed --noconfirm jq'
	is "$(grep -v '^id' called)" 'sudo true
sudo pacman -S --needed --noconfirm jq
pacman -S --needed --noconfirm jq'
	: >called
	deps run
	is "$status $output$stderr$(<called)" '0 '
}

@test "what cannot be had is told: no manager, one that fails, and one that does not help" {
	bare
	deps run
	ended 69
	has "$stderr" 'found no package manager that I know'
	stub id 'echo 0'
	stub apk 'echo "jq (no such package)" >&2; exit 1'
	deps run
	ended 69
	has "$stderr" 'apk knows no such package: jq'
	stub apk
	deps run
	ended 69
	has "$stderr" 'installed, but still not found: jq'
	deps nonsense
	ended 2
}

@test "what is only unpacked for the tests asks for no root" {
	bare
	# shellcheck disable=SC1091 # not a file of ours
	release=$(. /etc/os-release && echo "${ID-}:${VERSION_CODENAME-}")
	case $release in
	debian:bookworm | debian:trixie) release=${release#*:} ;;
	*) skip 'only on Debian 12 and 13' ;;
	esac
	for name in adb bats mandoc openssl pgrep pkg-config protoc unzip zip zstd jq; do
		stub $name
	done
	stub dpkg-query 'echo installed'
	stub apt-get "case \$* in
		indextargets*) echo 'Packages|Debian|Debian|$release|main|http://localhost/' ;;
		*download*) : >adbd.deb ;;
	esac"
	# shellcheck disable=SC2016 # for the stub
	stub dpkg-deb 'mkdir "$3/usr"'
	deps check
	ended 0
	[ -d tree/build/adbd/usr ]
	is "$(grep -c -e '^dpkg-deb -x' -e '^apt-get .* update$' called)" 2
	is "$(grep -c 'apt-get.* install' called || true)" 0
	deps check
	is "$status $output$stderr" '0 '
	# When it does not come, that is no failure, and it is not tried again.
	rm -r tree/build
	stub dpkg-deb 'exit 1'
	deps check
	ended 0
	has "$stderr" 'no adbd: tests against it will be skipped'
	deps check
	is "$status $output$stderr" '0 '
}
