package operate

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/programtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Settings that contradict each other, and those that a command does not have, are refused in one
// sentence that says what to do, before any server is called.
func TestSettingsRefused(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	token, config := filepath.Join(dir, "token"), filepath.Join(dir, "tapedeck.yaml")
	foreign := filepath.Join(dir, "foreign")
	if err := os.MkdirAll(filepath.Join(foreign, "photos"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "lock"), []byte("of another program\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	notOurs := foreign + " is not a data directory of tapedeck, and holds other things (lock, photos): name a new or an empty directory with --data"
	for path, text := range map[string]string{token: "td_x\n", config: "clickhouse: clickhouse://127.0.0.1:1/nowhere\nmax-streams: 7\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		env  []string
		args []string
		exit int
		says string
	}{
		{[]string{"TAPEDECK_TOKEN=td_y", "TAPEDECK_TOKEN_FILE=" + token}, []string{"sessions"}, commandtest.ExitUsage, "TAPEDECK_TOKEN and TAPEDECK_TOKEN_FILE are both set; leave one out"},
		{[]string{"TAPEDECK_TOKEN_FILE=" + token}, []string{"tokens", "list", "--token", "td_y"}, commandtest.ExitUsage, "--token and TAPEDECK_TOKEN_FILE are both set"},
		{nil, []string{"record", "--token", "td_y", "--token-file", token, token}, commandtest.ExitUsage, "--token and --token-file are both set"},
		{nil, []string{"sessions", "--token-file", dir}, commandtest.ExitUsage, "--token-file: " + dir + " is a directory: name a file in it"},
		{[]string{"AWS_ACCESS_KEY_ID=i", "AWS_SECRET_ACCESS_KEY=k", "AWS_SECRET_ACCESS_KEY_FILE=" + token}, []string{"backup", "x"}, commandtest.ExitUsage, "AWS_SECRET_ACCESS_KEY and --s3-secret-file"},
		{nil, []string{"sessions", "--config", config}, commandtest.ExitUsage, "only servers, migrate, restore and verify read a configuration file: use flags or environment variables"},
		{nil, []string{"migrate", "--config", config}, commandtest.ExitFailed, "ClickHouse at 127.0.0.1:1/nowhere does not answer"},
		{[]string{"TAPEDECK_CONFIG=" + config}, []string{"verify", "x"}, commandtest.ExitFailed, "127.0.0.1:1"},
		{nil, []string{"backup", "", "--server", "127.0.0.1:1"}, commandtest.ExitUsage, "the name is empty: name the backup"},
		{nil, []string{"backup", "x", "--base", "", "--server", "127.0.0.1:1"}, commandtest.ExitUsage, "--base is empty: name an earlier backup"},
		{nil, []string{"restore", strings.Repeat("n", 300), "--data", dir}, commandtest.ExitUsage, "the name is too long: 255 bytes"},
		{nil, []string{"up", "--max-tags", "1", "--max-tags", "2"}, commandtest.ExitUsage, "--max-tags is given more than once: set it once"},
		{nil, []string{"up", "--max-tag", "1"}, commandtest.ExitUsage, `did you mean one of "--max-tags"`},
		{nil, []string{"config", "check", "--set", "max-tags=x", "--set", "max-streams=-1", "--set", "listen=4600"}, commandtest.ExitUsage, "--max-streams=-1: it must be 1 or more"},
		{nil, []string{"config", "check", "--set", "max-tags=x", "--set", "max-streams=-1", "--set", "listen=4600"}, commandtest.ExitUsage, "it must be host:port"},
		{nil, []string{"config", "check", "--set", "max-tags=x", "--set", "max-streams=-1", "--set", "listen=4600"}, commandtest.ExitUsage, "it must be a whole number"},
		{nil, []string{"record", "--spool-limit", "1KiB", token}, commandtest.ExitUsage, "--spool-limit=1KiB: it must be 16MiB or more"},
		{nil, []string{"import", "--spool-limit", "0", token}, commandtest.ExitUsage, "--spool-limit=0: it must be 16MiB or more"},
		{[]string{"TAPEDECK_SPOOL_LIMIT=9MiB"}, []string{"proxy", "--upstream", "http://127.0.0.1:1"}, commandtest.ExitUsage, "it must be 16MiB or more"},
		{nil, []string{"record", "--nats", "nats://u:p@127.0.0.1:1", "--nats-subject", "x", "--nats-credentials", token}, commandtest.ExitUsage, "--nats has a user or a token, and so has the file of --nats-credentials"},
		{nil, []string{"proxy", "--upstream", "http://u:p@127.0.0.1:1", "--upstream-credentials", token}, commandtest.ExitUsage, "--upstream has credentials, and so has the file of --upstream-credentials: remove one"},
		{[]string{"TAPEDECK_UPSTREAM=http://127.0.0.1:1", "TAPEDECK_UPSTREAM_CREDENTIALS=" + dir + "/none"}, []string{"proxy"}, commandtest.ExitUsage, "--upstream-credentials: there is no file " + dir + "/none"},
		{nil, []string{"up", "--nats-listen", "nonsense"}, commandtest.ExitUsage, `--nats-listen "nonsense": it must be host:port`},
		{[]string{"TAPEDECK_NATS_LISTEN=0.0.0.0:4222"}, []string{"up"}, commandtest.ExitUsage, "TAPEDECK_NATS_LISTEN: --nats-listen \"0.0.0.0:4222\": the NATS of local mode answers on loopback only"},
		{nil, []string{"up", "--backups", token + "/x"}, commandtest.ExitUsage, "--backups: " + token + " is not a directory: name another one"},
		{[]string{"TAPEDECK_DATA=" + token}, []string{"up"}, commandtest.ExitUsage, "TAPEDECK_DATA: --data: " + token + " is not a directory"},
		{nil, []string{"up", "--redact-rule", dir + "/none"}, commandtest.ExitUsage, "there is no file " + dir + "/none: write it, or name another one"},
		{nil, []string{"up", "--config", dir + "/none"}, commandtest.ExitUsage, "there is no file " + dir + "/none"},
		{nil, []string{"up", "--tls-cert", dir + "/none", "--tls-key", token}, commandtest.ExitUsage, "the file " + dir + "/none cannot be read: no such file or directory"},
		{nil, []string{"up", "--oidc-client-id", "x"}, commandtest.ExitUsage, "--oidc-client-id goes with --tokens"},
		{nil, []string{"up", "--data", "/proc/none", "--listen", "127.0.0.1:0"}, commandtest.ExitFailed, "the data directory /proc/none cannot be made (no such file or directory): name another one with --data"},
		{nil, []string{"up", "--data", foreign, "--listen", "127.0.0.1:0"}, commandtest.ExitUsage, notOurs},
		{nil, []string{"config", "check", "--for", "up", "--set", "data=" + foreign}, commandtest.ExitUsage, notOurs},
		{nil, []string{"serve", "--data", foreign, "--listen", "127.0.0.1:0"}, commandtest.ExitUsage, notOurs},
		{nil, []string{"restore", "full", "--data", foreign}, commandtest.ExitUsage, notOurs},
		{nil, []string{"flush", "--spool", foreign}, commandtest.ExitUsage, "--spool: " + foreign + " is not a spool: name the folder spool in the --data of the server that has ended"},
		{[]string{"TAPEDECK_MAX_TAG=1", "TAPEDECK_LIBCHDB=/none"}, []string{"up", "--listen", "127.0.0.1:0"}, commandtest.ExitFailed, "TAPEDECK_MAX_TAG; did you mean TAPEDECK_MAX_TAGS?"},
	} {
		cmd := exec.CommandContext(t.Context(), programtest.Path(t), tc.args...)
		cmd.Env = append(append(os.Environ(), "XDG_STATE_HOME="+dir), tc.env...)
		_, diag, exit := commandtest.Finish(t, cmd)
		if strings.Contains(diag, "nothing reads the environment variable TAPEDECK_LIBCHDB") {
			t.Error(diag)
		}
		if exit != tc.exit || !strings.Contains(diag, tc.says) {
			t.Errorf("%v tapedeck %s: exit %d\n%swant %d, %q", tc.env, strings.Join(tc.args, " "), exit, diag, tc.exit, tc.says)
		}
	}
	// Nothing of it changed the directory of others.
	entries, err := os.ReadDir(foreign)
	info, statErr := os.Stat(foreign)
	lock, readErr := os.ReadFile(filepath.Join(foreign, "lock"))
	if err := errors.Join(err, statErr, readErr); err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || info.Mode().Perm() != 0o755 || string(lock) != "of another program\n" {
		t.Errorf("the directory of others has mode %v, %v, and the lock %q", info.Mode(), entries, lock)
	}
}
