package operate

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/programtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// How a command was called wrong is said before anything is done, in words of
// the command line, and the process exits with 2.
func TestUsageErrors(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	for line, want := range map[string]string{
		"nosuchcmd":                        `there is no command "nosuchcmd"`,
		"verison":                          `there is no command "verison", did you mean "version"?`,
		"import - --session x":             "--session needs a file",
		"import .":                         ". is a directory, name a tape file",
		"sessions -n -1":                   "--limit -1: it must be 1 or more",
		"sessions -n x":                    `--limit: it must be a whole number, not "x"`,
		"sessions --limit -1":              "--limit -1: it must be 1 or more",
		"sessions --min-duration -1s":      "--min-duration -1s: it must be 0s",
		"sessions --max-duration -1s":      "--max-duration -1s: it must be 0s",
		"sessions --silent-for -5s":        "--silent-for -5s: it must be 0s",
		"sessions --running-for=-5s":       "--running-for -5s: it must be 0s",
		"up --max-tags 0":                  "--max-tags=0: it must be above 0",
		"up --max-tag-bytes -1":            "--max-tag-bytes=-1: it must be above 0",
		"up --max-body-bytes 0":            "--max-body-bytes=0: it must be above 0",
		"serve --max-body-frames 0":        "--max-body-frames=0: it must be above 0",
		"serve --max-json-depth 301":       "--max-json-depth=301: it must be 1 to 300",
		"serve --max-body-sessions -1":     "--max-body-sessions=-1: it must be above 0",
		"serve --max-body-ratio -1":        "--max-body-ratio=-1: it must be above 0",
		"serve --quiet-after -1s":          "--quiet-after=-1s: it must be above 0",
		"up --quiet-after 0s":              "--quiet-after=0s: it must be above 0",
		"frames x --raw -n 2":              "goes without -n",
		"frames x --raw --json":            "goes without --json",
		"usage --top -1":                   "--top -1: it must be 0",
		"usage --min-duration -1s":         "--min-duration -1s: it must be 0s",
		"usage --json --csv":               "--csv goes without --json",
		"tools --csv --slowest 3":          "goes without --slowest",
		"play x --json --format sse":       "goes without --format sse",
		"show ":                            "name a session",
		"record --follow f --once":         "--once goes with --sse",
		"record --ws ws://h --method POST": "--method goes with --sse",
		"record f --until x":               "--until goes with --ws",
		"record":                           "record needs a source",
		"record --ws ftp://x":              `--ws "ftp://x": it must be a URL like wss://host/path`,
		"record --sse notaurl":             `--sse "notaurl": it must be a URL like`,
		"record - --dialect nosuch":        "nosuch",
		"dialect check nosuch.yaml":        "nosuch.yaml: no such file",
		"record - --tenant a/b":            `tenant "a/b"`,
		"record - --session ..":            `session id ".."`,
		"record - --tag x":                 "name=value or name:value",
		"record - --tag a=1 --tag a:2":     `has the value "1" already`,
		"record - --session \xff":          "not UTF-8",
		"proxy":                            "missing flags: --upstream",
		"proxy --upstream x":               `--upstream "x"`,
		"serve --nats nonsense":            "--nats: it must be of the form nats://host:4222",
		"serve --clickhouse nonsense":      "--clickhouse: it must be of the form clickhouse://",
		"migrate --clickhouse nonsense":    "--clickhouse: it must be of the form clickhouse://",
		"record - --nats nonsense":         "--nats: it must be of the form",
		"sessions --server ftp://x":        `--server "ftp://x"`,
	} {
		_, stderr, exit := commandtest.Alone(t, strings.Split(line, " ")...)
		if exit != commandtest.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("tapedeck %s: exit %d, %q; want %q", line, exit, stderr, want)
		}
		if strings.Contains(stderr, "strconv") || strings.Contains(stderr, "short flag") {
			t.Errorf("tapedeck %s lets the parser speak: %q", line, stderr)
		}
	}
}

// A server that is away is reported in the same words by every command.
func TestNoServer(t *testing.T) {
	t.Parallel()
	const want = "tapedeck: no tapedeck server answers at http://127.0.0.1:1 (connection refused)\nStart one with \"tapedeck up\", or name it with --server or TAPEDECK_SERVER.\n"
	for _, args := range [][]string{{"sessions"}, {"show", "x"}, {"play", "x"}, {"record", "-"}, {"usage"}, {"tools", "--csv"}} {
		if _, stderr, exit := commandtest.Alone(t, args...); exit != commandtest.ExitFailed || stderr != want {
			t.Errorf("%q: exit %d\n%s", args, exit, stderr)
		}
	}
}

// The help names defaults, also of flags that have a placeholder.
func TestHelpNamesDefaults(t *testing.T) {
	t.Parallel()
	for command, wants := range map[string][]string{
		"serve":  {"Default: nats://127.0.0.1:4222", "Default: clickhouse://127.0.0.1:9000/default", "Default: ingest,sink,api", "Default: 127.0.0.1:4600"},
		"proxy":  {"Default: 127.0.0.1:4700"},
		"flags":  {"Default: http://127.0.0.1:4600"},
		"tools":  {"Default: tool."},
		"frames": {"Default: 100."},
	} {
		stdout, _, exit := commandtest.Alone(t, command, "--help")
		for _, want := range wants {
			if exit != 0 || !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
				t.Errorf("%s --help: exit %d, want %q in\n%s", command, exit, want, stdout)
			}
		}
	}
}

func TestRecordingOfNothing(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	cmd := s.Command(t, "record", "-")
	cmd.Stdin = bytes.NewReader(nil)
	if _, stderr, exit := commandtest.Finish(t, cmd); exit != 0 || stderr != "recorded nothing: no frame came\n" {
		t.Errorf("exit %d, %q", exit, stderr)
	}
}

// A server whose NATS and ClickHouse are away says once where it looks for them
// and why they do not answer, and keeps passwords to itself.
func TestServeSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), programtest.Path(t), "serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(),
		"--nats", "nats://user:secret@127.0.0.1:1", "--clickhouse", "clickhouse://user:secret@127.0.0.1:1/db")
	cmd.Env = os.Environ()
	var said commandtest.LogBuffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wants := []string{
		"no NATS server answers at nats://xxxxx@127.0.0.1:1: connection refused", "ClickHouse at 127.0.0.1:1/db: connection refused",
	}
	for _, want := range wants {
		bounded.Until(t, "the word about "+want, func() bool { return strings.Contains(said.String(), want) })
	}
	time.Sleep(2 * time.Second) // it tries again each second, and is to say nothing
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := bounded.Command(t, cmd); err != nil {
		t.Errorf("it ended with %v", err)
	}
	log := said.String()
	for _, want := range wants {
		if strings.Count(log, want) != 1 {
			t.Errorf("it says %q %d times:\n%s", want, strings.Count(log, want), log)
		}
	}
	if strings.Contains(log, "outbound buffer") || strings.Contains(log, "secret") {
		t.Errorf("it says\n%s", log)
	}
}
