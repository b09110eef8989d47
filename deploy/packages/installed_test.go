package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
)

// build makes the package of bin/tapedeck, and returns its path.
func build(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("../../bin/tapedeck"); err != nil {
		fulltest.Missing(t, err)
	}
	out, err := exec.CommandContext(t.Context(), "sh", "build.sh").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Fields(string(out)) // the last one is the path
	return filepath.Join("../..", lines[len(lines)-1])
}

// TestInstalled installs the package, runs its services under systemd in their sandboxes,
// upgrades, removes and purges it.
func TestInstalled(t *testing.T) {
	fulltest.Long(t)
	deb := build(t)
	library, err := engine.Find(t.Context())
	if err != nil {
		fulltest.Missing(t, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := boot(t, map[string]string{"tapedeck.deb": deb, "servers": self}, library.Library)
	// In place of the package tapedeck-engine, whose library has 570 MB.
	engineEnv := engine.LibraryEnv + "=" + machineLibrary
	m.run(t, "dpkg -i /opt/test/tapedeck.deb")
	m.run(t, "echo "+engineEnv+" >>/etc/tapedeck/tapedeck.env")

	t.Run("files", func(t *testing.T) { files(t, m) })
	t.Run("all in one", func(t *testing.T) { allInOne(t, m) })
	t.Run("roles", func(t *testing.T) { roles(t, m, engineEnv) })
	t.Run("bad input", func(t *testing.T) { badInput(t, m) })
	t.Run("upgrade and removal", func(t *testing.T) { removal(t, m) })
}

func files(t *testing.T, m *machine) {
	for path, want := range map[string]string{
		"/usr/lib/tapedeck/tapedeck":                "755 root root",
		"/etc/tapedeck":                             "750 root tapedeck",
		"/etc/tapedeck/tapedeck.env":                "640 root tapedeck",
		"/var/lib/tapedeck":                         "700 tapedeck tapedeck",
		"/lib/systemd/system/tapedeck@.service":     "644 root root",
		"/lib/systemd/system/tapedeck@api.socket.d": "755 root root",
	} {
		m.want(t, "stat -c '%a %U %G' "+path, want)
	}
	m.want(t, "tapedeck version | cut -d' ' -f1", "tapedeck")
	m.want(t, "getent passwd tapedeck | cut -d: -f6,7", "/var/lib/tapedeck:/usr/sbin/nologin")
	m.run(t, "test -s /usr/share/doc/tapedeck/copyright && zcat /usr/share/doc/tapedeck/changelog.gz >/dev/null && zcat /usr/share/man/man1/tapedeck.1.gz >/dev/null")
	m.want(t, "systemctl is-active tapedeck.service tapedeck.socket || true", "inactive\ninactive")
	m.run(t, "/var/lib/dpkg/info/tapedeck.postinst configure && /var/lib/dpkg/info/tapedeck.postinst configure")
}

const lines = `{"n":1}\n{"n":2}\n{"n":3}`

// allInOne runs NATS, ClickHouse and all else in one sandbox.
func allInOne(t *testing.T, m *machine) {
	m.run(t, "systemctl enable --now tapedeck 2>&1")
	m.run(t, "until tapedeck health --ready 2>/dev/null; do sleep 0.1; done")
	m.want(t, "systemctl show -P StatusText tapedeck", "serving http://127.0.0.1:4600")
	// The sandbox holds for ClickHouse as well: no capabilities, a filter of system calls.
	m.want(t, `for p in $(cat /sys/fs/cgroup/*/system.slice/tapedeck.service/cgroup.procs | sort -u); do grep -hE '^(CapBnd|Seccomp|NoNewPrivs):' /proc/$p/status; done | sort | uniq -c | tr -s ' \t' ' '`,
		"2 CapBnd: 0000000000000000\n 2 NoNewPrivs: 1\n 2 Seccomp: 2")
	m.run(t, `printf '`+lines+`' | tapedeck record --session one - `)
	// ClickHouse compiles expressions that are used several times: the sandbox must let it.
	m.run(t, "for i in 1 2 3 4 5; do tapedeck usage --json; tapedeck tools --json; tapedeck calls --json; tapedeck sessions --json; done >/dev/null")
	m.want(t, "tapedeck play one --speed max --format ndjson", strings.ReplaceAll(lines, `\n`, "\n"))

	// The socket stays open: clients wait during a restart, and no connection is refused. One that
	// the old process had accepted may be cut.
	m.run(t, `touch /run/restarting; (systemctl restart tapedeck; rm /run/restarting) & n=0
while [ -e /run/restarting ]; do tapedeck health --timeout 30s >/dev/null 2>/run/said || ! grep -qE 'refused|does not answer' /run/said; n=$((n+1)); done; test $n -gt 0; wait`)
	// A killed process is started again.
	before := m.run(t, "systemctl show -P MainPID tapedeck")
	m.run(t, "kill -9 "+before+"; while [ $(systemctl show -P NRestarts tapedeck) = 0 ]; do sleep 0.1; done; until tapedeck health --timeout 30s --ready 2>/dev/null; do sleep 0.1; done")
	m.want(t, "tapedeck play one --speed max --format ndjson", strings.ReplaceAll(lines, `\n`, "\n"))
	m.run(t, "systemctl disable --now tapedeck.socket tapedeck.service 2>&1")
	m.want(t, "systemctl show -p Result -p ExecMainStatus tapedeck | sort", "ExecMainStatus=0\nResult=success")
}

// roles runs each role in its sandbox, against servers outside.
func roles(t *testing.T, m *machine, engineEnv string) {
	m.run(t, "systemd-run -q --unit servers --setenv="+serversEnv+"=/run/servers --setenv="+engineEnv+` /opt/test/servers
while [ ! -s /run/servers ]; do sleep 0.1; done; cat /run/servers >>/etc/tapedeck/tapedeck.env; set -a; . /run/servers; tapedeck migrate`)
	m.run(t, "systemctl start tapedeck@ingest tapedeck@sink tapedeck@api")
	for role, address := range map[string]string{"api": "127.0.0.1:4600", "ingest": "127.0.0.1:4601", "sink": "127.0.0.1:4602"} {
		m.want(t, "systemctl show -P StatusText tapedeck@"+role, "serving http://"+address)
		m.want(t, "stat -c '%a %U' /var/lib/tapedeck/"+role, "700 tapedeck")
	}
	m.run(t, `printf '`+lines+`' | tapedeck record --server 127.0.0.1:4601 --session two -`)
	m.run(t, "while ! tapedeck show two >/dev/null 2>&1; do sleep 0.1; done")
	m.want(t, "tapedeck play two --speed max --format ndjson", strings.ReplaceAll(lines, `\n`, "\n"))
	m.run(t, "systemctl stop 'tapedeck@*.service' 'tapedeck@*.socket'")
	for _, role := range []string{"api", "ingest", "sink"} {
		m.want(t, "systemctl show -P Result tapedeck@"+role, "success")
	}
}

// badInput checks that the journal names the error and the remedy.
func badInput(t *testing.T, m *machine) {
	for _, c := range []struct{ name, before, unit, want string }{
		{"no library of ClickHouse", "cp -a /etc/tapedeck/tapedeck.env /run/kept; echo TAPEDECK_LIBCHDB=/nowhere/libchdb.so >>/etc/tapedeck/tapedeck.env", "tapedeck",
			"TAPEDECK_LIBCHDB=/nowhere/libchdb.so: no such file; correct it or unset it"},
		{"a setting that is refused", "cp -a /run/kept /etc/tapedeck/tapedeck.env; echo TAPEDECK_MAX_FILL=200 >/etc/tapedeck/api.env", "tapedeck@api", "at most 100"},
		{"beyond loopback without tokens", "rm /etc/tapedeck/api.env; mkdir -p /run/systemd/system/tapedeck@api.socket.d; printf '[Socket]\\nListenStream=\\nListenStream=0.0.0.0:4600\\n' >/run/systemd/system/tapedeck@api.socket.d/z.conf; systemctl daemon-reload",
			"tapedeck@api", "without --tokens tapedeck answers on loopback only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m.run(t, c.before)
			m.fails(t, "systemctl start "+c.unit)
			bounded.Until(t, "the journal has "+strconv.Quote(c.want), func() bool { // what a unit printed comes after its end
				return strings.Contains(m.run(t, "journalctl --no-pager -o cat -u "+c.unit), c.want)
			})
			m.run(t, "systemctl stop "+c.unit+".service "+c.unit+".socket; systemctl reset-failed")
		})
	}
	m.run(t, "rm -r /run/systemd/system/tapedeck@api.socket.d; systemctl daemon-reload")
}

func removal(t *testing.T, m *machine) {
	m.run(t, "systemctl start tapedeck")
	before := m.run(t, "systemctl show -P MainPID tapedeck; sha256sum /etc/tapedeck/tapedeck.env")
	m.run(t, "dpkg -i /opt/test/tapedeck.deb; until tapedeck health --ready --timeout 30s 2>/dev/null; do sleep 0.1; done")
	after := m.run(t, "systemctl show -P MainPID tapedeck; sha256sum /etc/tapedeck/tapedeck.env")
	if pid, hash, _ := strings.Cut(before, "\n"); strings.HasPrefix(after, pid+"\n") || !strings.HasSuffix(after, hash) {
		t.Errorf("an upgrade: %s, then %s: want another process and the same settings", before, after)
	}
	m.want(t, "tapedeck play one --speed max --format ndjson", strings.ReplaceAll(lines, `\n`, "\n"))
	m.run(t, "dpkg --remove tapedeck 2>&1")
	m.want(t, "systemctl is-active tapedeck.service tapedeck.socket || true", "inactive\ninactive")
	m.want(t, "ls /usr/bin/tapedeck /usr/lib/tapedeck /lib/systemd/system/tapedeck* 2>/dev/null || true", "")
	m.run(t, "test -d /var/lib/tapedeck/clickhouse -a -f /etc/tapedeck/tapedeck.env")
	m.run(t, "dpkg --purge tapedeck && /bin/sh -c 'test ! -e /var/lib/tapedeck -a ! -e /etc/tapedeck'")
}
