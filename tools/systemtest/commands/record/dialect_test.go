package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// acmeFacts is what "show" has of the example stream: its turn, call, tools and tokens.
var acmeFacts = []string{
	"acme over ndjson", "How warm is it in Oslo?", "llm acme-large-2", "tool weather", "tool clock", "(error, no clock)",
	"It is 4 °C.", "881",
}

// A file is checked and tried without a server.
func TestDialectTryOnCapture(t *testing.T) {
	t.Parallel()
	out, errs, exit := commandtest.Alone(t, "dialect", "try", commandtest.AcmeFile, commandtest.AcmeStream)
	if exit != 0 {
		t.Fatal(errs)
	}
	commandtest.Contains(t, "dialect try", out,
		"0  turn/begin                run started; model call acme-large-2 started; user +23",
		"2  say                       text +7", "4  act/ask                   tool call weather",
		"5  act/done                  tool call weather ended: ok", "9  meter                     usage in 308, cache read 512, out 52, reasoning 9",
		"10  turn/end                  run ended: ok",
		"11 frames: 1 run (1 ok), 1 model call, 2 tool calls, text 23 characters, thinking 11 characters", "total 881", "recognised  as acme")

	other := commandtest.TextFile(t, []byte(`{"ev":"other"}`+"\n"+"no JSON\n"))
	out, _, _ = commandtest.Alone(t, "dialect", "try", "--quiet", commandtest.AcmeFile, other)
	commandtest.Contains(t, "dialect try", out, "no rule for other: 1 frame", "1 frame is not JSON", "tokens      –, no usage was found", "recognised  as generic", "--dialect acme")

	if strings.HasPrefix(out, "\n") {
		t.Errorf("dialect try --quiet begins with an empty line:\n%s", out)
	}

	typed, err := os.ReadFile(commandtest.AcmeFile)
	if err != nil {
		t.Fatal(err)
	}
	misspelt := filepath.Join(t.TempDir(), "misspelt.yaml")
	if err := os.WriteFile(misspelt, bytes.Replace(typed, []byte("text: piece"), []byte("text: peice"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, _ = commandtest.Alone(t, "dialect", "try", misspelt, commandtest.AcmeStream)
	commandtest.Contains(t, "dialect try", out, "2  say                       nothing: no value at rules[3].text (peice)", "7  heartbeat                 nothing\n")

	if out, _, exit := commandtest.Alone(t, "dialect", "check", commandtest.AcmeFile); exit != 0 || !strings.Contains(out, "dialect acme, 11 rules") {
		t.Errorf("check: exit %d, %s", exit, out)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.yaml")
	if err := os.WriteFile(wrong, []byte("name: loom\nrules:\n  - {ignore: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"dialect", "check", wrong}, {"record", "--dialect-file", wrong, commandtest.AcmeStream}, {"redecode", "--dialect-file", wrong, "x"}} {
		if _, errs, exit := commandtest.Alone(t, args...); exit != commandtest.ExitUsage || !strings.Contains(errs, `wrong.yaml: dialect "loom": the name is taken`) {
			t.Errorf("%v: exit %d, %s", args, exit, errs)
		}
	}
}

// A stream is recorded by a mapping file, and decoding it again with the file leads to the
// same facts. A server without the file refuses, and the facts stay.
func TestDialectFile(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	s.Must(t, "record", "--session", "by-file", "--dialect-file", commandtest.AcmeFile, commandtest.AcmeStream)
	shown := s.Must(t, "show", "by-file")
	commandtest.Contains(t, "show", shown, acmeFacts...)
	if out := s.Must(t, "dialect", "try", "--quiet", commandtest.AcmeFile, "by-file"); !strings.Contains(out, "11 frames: 1 run (1 ok)") {
		t.Errorf("try of a session:\n%s", out)
	}
	if _, errs, exit := s.Run(t, "redecode", "by-file"); exit == 0 || !strings.Contains(errs, `"acme", a dialect that this server does not know`) || !strings.Contains(errs, "--dialect-file") {
		t.Errorf("redecode without the file: exit %d, %s", exit, errs)
	}
	if again := s.Must(t, "show", "by-file"); again != shown {
		t.Errorf("a refused redecode changed it:\n%s", again)
	}
	s.Must(t, "redecode", "--dialect-file", commandtest.AcmeFile, "by-file")
	if again := s.Must(t, "show", "by-file"); again != shown {
		t.Errorf("decoded again:\n%s\nwas\n%s", again, shown)
	}
	s.Must(t, "redecode", "--dialect", "generic", "by-file")
	if out := s.Must(t, "redecode", "--dialect-file", commandtest.AcmeFile, "by-file"); !strings.Contains(out, "generic → acme") {
		t.Errorf("redecode:\n%s", out)
	}
}

// A JSON array of events, printed over lines, is its elements, and comes back to the byte.
func TestRecordArray(t *testing.T) {
	t.Parallel()
	s := commandtest.Shared(t)
	lines, err := os.ReadFile(commandtest.AcmeStream)
	if err != nil {
		t.Fatal(err)
	}
	elements := bytes.Split(bytes.TrimSpace(lines), []byte("\n"))
	for name, text := range map[string]string{
		"printed": "\ufeff[\r\n  " + string(bytes.Join(elements, []byte(",\r\n  "))) + "\r\n]\r\n",
		"compact": "[" + string(bytes.Join(elements, []byte(","))) + "]",
	} {
		id := "array-" + name
		s.Must(t, "record", "--session", id, "--dialect-file", commandtest.AcmeFile, commandtest.TextFile(t, []byte(text)))
		commandtest.Contains(t, name, s.Must(t, "show", id), acmeFacts...)
		if raw := s.Must(t, "export", "--format", "ndjson", id); raw != text {
			t.Errorf("%s: exported as %q", name, raw)
		}
	}
}
