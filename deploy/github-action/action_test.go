package githubaction

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/programtest"
	"tapedeck/replay/replaytest"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// action is an action file, as far as a composite action with shell steps has one.
type action struct {
	Name        string           `yaml:"name"`
	Description string           `yaml:"description"`
	Inputs      map[string]input `yaml:"inputs"`
	Runs        struct {
		Using string `yaml:"using"`
		Steps []struct {
			Shell string            `yaml:"shell"`
			Env   map[string]string `yaml:"env"`
			Run   string            `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

type input struct {
	Description string  `yaml:"description"`
	Required    bool    `yaml:"required"`
	Default     *string `yaml:"default"`
}

var inputOf = regexp.MustCompile(`^\$\{\{ inputs\.([a-z]+) \}\}$`)

// TestAction reads the action and runs its step with a tape that holds the conditions, and with others.
func TestAction(t *testing.T) {
	f, err := os.Open("action.yml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var a action
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	if a.Name == "" || a.Description == "" || a.Runs.Using != "composite" || len(a.Runs.Steps) != 1 || a.Runs.Steps[0].Shell != "bash" {
		t.Fatalf("%+v", a)
	}
	for name, in := range a.Inputs {
		if in.Description == "" || in.Required == (in.Default != nil) {
			t.Errorf("the input %s: a description, and a default unless it is required: %+v", name, in)
		}
	}
	// An expression in the script would put the text of an input into it.
	if step := a.Runs.Steps[0]; strings.Contains(step.Run, "${{") {
		t.Errorf("the script has an expression:\n%s", step.Run)
	}

	program := programtest.Path(t)
	dir := t.TempDir()
	quick, slow := tape(t, dir, "quick run.tape", time.Second), tape(t, dir, "slow.tape", time.Minute)
	conditions := filepath.Join(dir, "conditions.yaml")
	if err := os.WriteFile(conditions, []byte("calls: {bash: 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	used := filepath.Join(dir, "used")
	if err := errors.Join(os.Mkdir(used, 0o700), os.WriteFile(filepath.Join(used, "assert-1.xml"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	hostile := filepath.Join(dir, "`touch owned`$(touch owned).tape")
	for name, tc := range map[string]struct {
		inputs map[string]string
		code   int
		output []string
		files  []string
	}{
		"passes": {map[string]string{"recordings": quick, "file": conditions, "flags": "--max-duration=30s\n--no-tool-errors\n", "junit": filepath.Join(dir, "results")},
			0, []string{"3 assertions passed"}, []string{"assert-1.xml"}},
		"fails": {map[string]string{"recordings": quick + "\n" + slow + "\n", "flags": "--max-duration=30s", "junit": filepath.Join(dir, "results2")},
			1, []string{"1 assertion passed", "1 of 1 assertion failed", "::error::the conditions on " + slow}, []string{"assert-1.xml", "assert-2.xml"}},
		"a folder that has results": {map[string]string{"recordings": quick, "flags": "--max-duration=30s", "junit": used},
			0, []string{"1 assertion passed"}, []string{"assert-1.xml", "assert-2.xml"}},
		"no such tape":          {map[string]string{"recordings": hostile + "\n" + quick, "file": conditions}, 2, []string{"no such file", "1 assertion passed"}, nil},
		"no condition":          {map[string]string{"recordings": quick}, 2, []string{"nothing is asserted"}, nil},
		"no recording":          {map[string]string{"recordings": "\n", "file": conditions}, 2, []string{"no recording is named"}, nil},
		"a name like a flag":    {map[string]string{"recordings": "--help.tape", "file": conditions}, 2, []string{"no such file"}, nil},
		"a program that is not": {map[string]string{"recordings": quick, "file": conditions, "program": filepath.Join(dir, "none")}, 127, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.inputs["program"] == "" {
				tc.inputs["program"] = program
			}
			out, code := a.run(t, tc.inputs)
			if code != tc.code {
				t.Errorf("exit code %d, want %d\n%s", code, tc.code, out)
			}
			commandsStop(t, out)
			for _, want := range tc.output {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			var files []string
			if folder := tc.inputs["junit"]; folder != "" {
				entries, err := os.ReadDir(folder)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					files = append(files, e.Name())
				}
			}
			if !slices.Equal(files, tc.files) {
				t.Errorf("files %v, want %v", files, tc.files)
			}
		})
	}
}

var stopCommands = regexp.MustCompile(`(?m)^::stop-commands::(\S+)\n((?:.*\n)*?)::(\S+)::$`)

// commandsStop checks that the runner executes no command in what the program prints: texts of a recording
// are in it. Each run has another token.
func commandsStop(t *testing.T, output string) {
	t.Helper()
	found := stopCommands.FindAllStringSubmatch(output, -1)
	if len(found) != strings.Count(output, "::group::") {
		t.Errorf("commands do not stop in each group\n%s", output)
	}
	tokens := map[string]bool{}
	for _, m := range found {
		if m[1] != m[3] || tokens[m[1]] || len(m[1]) < len("stop-")+8 {
			t.Errorf("the token %q of %q", m[1], m[0])
		}
		tokens[m[1]] = true
	}
	if rest := stopCommands.ReplaceAllString(output, ""); strings.Contains(rest, "assertion") {
		t.Errorf("the program prints where commands are executed:\n%s", rest)
	}
}

// run runs the step of the action in an empty folder, and checks that it leaves no file there.
func (a *action) run(t *testing.T, inputs map[string]string) (output string, code int) {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil {
		fulltest.Missing(t, err)
	}
	step := &a.Runs.Steps[0]
	// A runner runs a step of bash with these flags.
	cmd := exec.CommandContext(t.Context(), shell, "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "TAPEDECK_SERVER=http://127.0.0.1:1")
	for variable, expression := range step.Env {
		m := inputOf.FindStringSubmatch(expression)
		if m == nil {
			t.Fatalf("%s: %s is not the value of an input", variable, expression)
		}
		in, known := a.Inputs[m[1]]
		if !known {
			t.Fatalf("%s: there is no input %s", variable, m[1])
		}
		value, set := inputs[m[1]]
		if !set && in.Default != nil {
			value = *in.Default
		}
		cmd.Env = append(cmd.Env, variable+"="+value)
	}
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
		t.Errorf("the step left %v in its folder (%v)", left, err)
	}
	return string(out), code
}

// tape writes a tape with a session of some duration, with one call of the tool bash.
func tape(t *testing.T, dir, name string, d time.Duration) string {
	t.Helper()
	memory := &replaytest.Tape{}
	memory.Stream(schema.NDJSON, "loom").Add(0, "{}\n").Add(d, "{}\n")
	call := schema.Span{Fact: schema.Fact{ID: "b", SeenAt: replaytest.Start, Version: 1}, Kind: schema.SpanTool, Name: "bash",
		Status: schema.StatusOK, Started: replaytest.Start, Ended: replaytest.Start + int64(d)}
	path := filepath.Join(dir, name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := tapefile.NewWriter(f)
	if err == nil {
		err = w.Begin("s", memory.Streams())
	}
	for i := range memory.Frames() {
		if err == nil {
			err = w.Add(&memory.Frames()[i])
		}
	}
	if err == nil {
		err = errors.Join(w.Facts([]block.Block{{State: memory.Streams()[0], Facts: block.Facts{Spans: []schema.Span{call}}}}), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
