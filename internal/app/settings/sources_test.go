package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// rig is a command line with the commands of servers, and one that takes their configuration file.
type rig struct {
	Up      Up    `cmd:""`
	Serve   Serve `cmd:""`
	Migrate struct {
		ConfigFile
		ClickHouseServer
		Data string `env:"TAPEDECK_DATA"`
	} `cmd:""`
}

// load reads settings with an environment; what they name need not be there.
func load(t *testing.T, env map[string]string, args ...string) (*rig, *Sources, error) {
	t.Helper()
	r, s, c, err := read(t, env, args...)
	if err != nil {
		return nil, s, err
	}
	return r, s, s.Check(c, nil)
}

// check reads settings and checks all of them, those of "serve".
func check(t *testing.T, env map[string]string, args ...string) error {
	t.Helper()
	r, s, c, err := read(t, env, append([]string{"serve"}, args...)...)
	if err != nil {
		return err
	}
	return s.Check(c, r.Serve.Conflicts())
}

func read(t *testing.T, env map[string]string, args ...string) (*rig, *Sources, *kong.Context, error) {
	t.Helper()
	r, s := &rig{}, NewSources()
	s.getenv = func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	parser, err := kong.New(r, kong.Name("tapedeck"), kong.Resolvers(s))
	if err != nil {
		t.Fatal(err)
	}
	s.TakeOver(parser.Model)
	c, err := parser.Parse(args)
	return r, s, c, err
}

func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// A flag comes before the environment, that before the file, that before the default.
func TestPrecedence(t *testing.T) {
	file := write(t, "# limits\nmax-streams: 1\nmax-replays: 1\nmax-followers: 1\nmax-frame-bytes: 2MiB\nrole: [sink, api]\nlog-format: json\nquiet-after: 45s\n", 0o600)
	env := map[string]string{"TAPEDECK_CONFIG": file, "TAPEDECK_MAX_STREAMS": "2", "TAPEDECK_MAX_REPLAYS": "2", "TAPEDECK_MAX_TAGS": ""}
	r, s, err := load(t, env, "serve", "--max-streams", "3")
	if err != nil {
		t.Fatal(err)
	}
	c := r.Serve
	if c.MaxStreams != 3 || c.MaxReplays != 2 || c.MaxFollowers != 1 || c.MaxExports != 0 || c.MaxFrameBytes != 2<<20 || c.MaxTags != 64 ||
		strings.Join(c.Role, " ") != "sink api" || c.LogFormat != "json" || c.QuietAfter.String() != "45s" {
		t.Errorf("%+v", c)
	}
	for name, want := range map[string]string{
		"max-streams": "flag", "max-replays": "TAPEDECK_MAX_REPLAYS", "max-followers": file + ":4", "max-exports": "default", "max-tags": "default",
	} {
		if got := s.Of(name).String(); got != want {
			t.Errorf("--%s is from %s, want %s", name, got, want)
		}
	}
}

// What is wrong is reported with the setting, the value and its place, all of it at once.
func TestWrong(t *testing.T) {
	for text, wants := range map[string][]string{
		"max-streams: -1\nquiet-after: 0s\n": {
			"--max-streams=-1 (FILE:1): it must be 1 or more, or 0 for any number", "--quiet-after=0s (FILE:2): it must be above 0, like 30s"},
		"max-frame-bytes: 5 apples":              {`--max-frame-bytes=5 apples (FILE:1): it must be a number of bytes`},
		"quiet-after: 30":                        {"--quiet-after=30 (FILE:1): it must be a time with a unit, like 30s"},
		"max-tags: many":                         {"--max-tags=many (FILE:1): it must be a whole number"},
		"max-tags: [1, 2]":                       {"FILE:1"},
		"demo: maybe":                            {"--demo=maybe (FILE:1): it must be true or false"},
		"log-format: xml":                        {"--log-format=xml (FILE:1): it must be one of text, json"},
		"log-level: loud":                        {"--log-level=loud (FILE:1): it must be one of debug, info, warn, error"},
		"role: [ingest, store]":                  {"--role=store (FILE:1): it must be one of ingest, sink, api"},
		"max_streams: 1":                         {`FILE:1: there is no setting "max_streams"; did you mean "max-streams"?`},
		"max-stream: 1":                          {`did you mean "max-streams"?`},
		"colour: red":                            {`FILE:1: there is no setting "colour"`},
		"nats-listen: x":                         {`FILE:1: nats-listen is a setting of "tapedeck up" only`},
		"max-tags: 1\nmax-tags: 2":               {"FILE:2: max-tags stands in line 1 already; remove one"},
		"max-tags:":                              {"FILE:1: max-tags: it has no value"},
		"max-tags: {a: 1}":                       {"FILE:1: max-tags: it must be a value, not a mapping"},
		"[1]":                                    {"FILE:1: it must be a mapping of settings"},
		"a: [":                                   {"FILE: it is not YAML: line 1"},
		"max-tags: 1\n---\nmax-tags: 2":          {"more than one document"},
		"max-fill: NaN":                          {"--max-fill=NaN (FILE:1): it must be above 0, at most 100"},
		"audit-retention: 4w":                    {"--audit-retention=4w (FILE:1): it must be a number of days, like 400d"},
		"replicas: 9":                            {"--replicas=9 (FILE:1): it must be 1 to 5"},
		"max-header-bytes: 1KiB\nquery-time: 1h": {"--max-header-bytes=1KiB (FILE:1): it must be 4KiB to 64MiB"},
	} {
		file := write(t, text, 0o600)
		_, _, err := load(t, nil, "serve", "--config", file)
		for _, want := range wants {
			if want = strings.ReplaceAll(want, "FILE", file); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q:\n%v\nwant %q", text, err, want)
			}
		}
	}
	_, _, err := load(t, map[string]string{"TAPEDECK_MAX_TAGS": "x", "TAPEDECK_MAX_STREAMS": "-2"}, "up", "--max-readers", "0")
	for _, want := range []string{
		"--max-tags=x (environment variable TAPEDECK_MAX_TAGS): it must be a whole number",
		"--max-streams=-2 (environment variable TAPEDECK_MAX_STREAMS): it must be", "--max-readers=0: it must be above 0",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if _, _, err := load(t, nil, "serve", "--config", "/nonexistent"); err == nil || !strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Secrets come from files that variables name.
func TestSecretFiles(t *testing.T) {
	const dsn = "clickhouse://u:pass@h:9000/d"
	for _, c := range []struct {
		env     map[string]string
		warning string
		err     string
	}{
		{map[string]string{"TAPEDECK_CLICKHOUSE_FILE": write(t, dsn+"\n", 0o600)}, "", ""},
		{map[string]string{"TAPEDECK_CLICKHOUSE_FILE": write(t, dsn, 0o644)}, "chmod 600", ""},
		{map[string]string{"TAPEDECK_CLICKHOUSE_FILE": write(t, " \n", 0o600)}, "", "is empty"},
		{map[string]string{"TAPEDECK_CLICKHOUSE_FILE": "/nonexistent"}, "", "there is no file /nonexistent"},
		{map[string]string{"TAPEDECK_CLICKHOUSE_FILE": t.TempDir()}, "", "is a directory: name a file in it"},
		{map[string]string{"TAPEDECK_CLICKHOUSE_FILE": "/x", "TAPEDECK_CLICKHOUSE": dsn}, "", "TAPEDECK_CLICKHOUSE and TAPEDECK_CLICKHOUSE_FILE are both set"},
	} {
		r, s, err := load(t, c.env, "serve")
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "pass") {
				t.Errorf("%v: %v, want %q", c.env, err, c.err)
			}
			continue
		}
		if err != nil || r.Serve.ClickHouse != dsn {
			t.Errorf("%v: %v", c.env, err)
			continue
		}
		if got := strings.Join(s.Warnings(), "\n"); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%v: warned %q, want %q", c.env, got, c.warning)
		}
		for _, e := range s.Effective() {
			if strings.Contains(e.Value, "pass") {
				t.Errorf("--%s prints the password: %s", e.Name, e.Value)
			}
		}
	}
}

// Variables that nothing reads are reported, other programs' are not.
func TestUnknownVariables(t *testing.T) {
	parser := kong.Must(&rig{})
	got := UnknownVariables(parser.Model, []string{
		"TAPEDECK_MAX_STREAM=1", "TAPEDECK_XYZZY=1", "TAPEDECK_MAX_STREAMS=1", "TAPEDECK_CLICKHOUSE_FILE=x", "TAPEDECK_TEST_FULL=1",
		"TAPEDECK_SERVICE_HOST=10.0.0.1", "TAPEDECK_PORT_4600_TCP_ADDR=10.0.0.1", "TAPEDECK_API_SERVICE_PORT_HTTP=1", "PATH=x",
	})
	want := "nothing reads the environment variable TAPEDECK_MAX_STREAM; did you mean TAPEDECK_MAX_STREAMS?\nnothing reads the environment variable TAPEDECK_XYZZY"
	if strings.Join(got, "\n") != want {
		t.Errorf("%q", got)
	}
}
