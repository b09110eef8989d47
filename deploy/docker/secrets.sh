#!/bin/sh
# Makes the secrets of docker-compose.yml, each in a file of the folder secrets beside it.
# What is there already stays as it is.
set -eu
umask 077
dir=${1:-$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/secrets}
mkdir -p "$dir"

# word N prints N random letters and digits.
word() { LC_ALL=C tr -dc 'A-Za-z0-9' </dev/urandom | head -c "$1"; }

# put FILE writes standard input to a file that is not there yet. Containers read it as users
# of their own, so it is readable by all; the folder is not.
put() {
	if [ -e "$dir/$1" ]; then
		cat >/dev/null
		return
	fi
	cat >"$dir/$1.new"
	chmod 0444 "$dir/$1.new"
	mv "$dir/$1.new" "$dir/$1"
}

# token prints a token of tapedeck: td_, 30 characters, and the CRC-32 of these in base 62.
token() {
	text=td_$(word 30)
	sum=$(printf %s "$text" | gzip -c -n | tail -c 8 | od -A n -t u1 -N 4 | awk '{printf "%.0f", $1 + 256 * ($2 + 256 * ($3 + 256 * $4))}')
	printf '%s' "$text" | awk -v sum="$sum" '{
		digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		for (i = 0; i < 6; i++) { tail = substr(digits, sum % 62 + 1, 1) tail; sum = int(sum / 62) }
		print $0 tail
	}'
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1; }

token | put admin-token
word 32 | put grafana-password

printf 'tapedeck:%s' "$(word 32)" | put nats-credentials
password=$(cut -d: -f2 <"$dir/nats-credentials")
printf 'authorization: { users: [ { user: "tapedeck", password: "%s" } ] }\n' "$password" | put nats-users.conf

word 32 | put clickhouse-password
word 32 | put grafana-clickhouse-password
put clickhouse-users.xml <<END
<clickhouse>
    <profiles>
        <viewer><readonly>2</readonly></viewer>
    </profiles>
    <users>
        <default remove="remove"/>
        <tapedeck>
            <password_sha256_hex>$(sha256 <"$dir/clickhouse-password")</password_sha256_hex>
            <networks><ip>::/0</ip></networks>
            <profile>default</profile>
            <quota>default</quota>
            <grants>
                <query>GRANT ALL ON *.*</query>
                <query>REVOKE SOURCES ON *.*</query>
            </grants>
        </tapedeck>
        <grafana>
            <password_sha256_hex>$(sha256 <"$dir/grafana-clickhouse-password")</password_sha256_hex>
            <networks><ip>::/0</ip></networks>
            <profile>viewer</profile>
            <quota>default</quota>
            <grants>
                <query>GRANT SELECT ON default.*</query>
            </grants>
        </grafana>
    </users>
</clickhouse>
END
echo "the secrets are in $dir; log in to tapedeck with the content of $dir/admin-token"
