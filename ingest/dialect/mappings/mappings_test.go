package mappings

import (
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/dialect/dialecttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCases(t *testing.T) {
	for _, d := range All() {
		t.Run(d.Name, func(t *testing.T) { dialecttest.Run(t, d, "testdata/"+d.Name+"/cases") })
	}
}

// The names of the files are those of their dialects.
func TestNames(t *testing.T) {
	names, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if d := read(name.Name()); d.Name+".yaml" != name.Name() {
			t.Errorf("%s has the dialect %s", name.Name(), d.Name)
		}
	}
}

func FuzzQwenCode(f *testing.F) {
	dialecttest.Fuzz(f, read("qwen-code.yaml"), "testdata/qwen-code/cases")
}

func FuzzKimiCLI(f *testing.F) { dialecttest.Fuzz(f, read("kimi-cli.yaml"), "testdata/kimi-cli/cases") }

func FuzzKimiCode(f *testing.F) {
	dialecttest.Fuzz(f, read("kimi-code.yaml"), "testdata/kimi-code/cases")
}

func FuzzCopilotCLI(f *testing.F) {
	dialecttest.Fuzz(f, read("copilot-cli.yaml"), "testdata/copilot-cli/cases")
}

func FuzzDroid(f *testing.F) { dialecttest.Fuzz(f, read("droid.yaml"), "testdata/droid/cases") }

func FuzzDroidExec(f *testing.F) {
	dialecttest.Fuzz(f, read("droid-exec.yaml"), "testdata/droid-exec/cases")
}

func FuzzAmp(f *testing.F) { dialecttest.Fuzz(f, read("amp.yaml"), "testdata/amp/cases") }

func FuzzGoose(f *testing.F) { dialecttest.Fuzz(f, read("goose.yaml"), "testdata/goose/cases") }

func FuzzCursorCLI(f *testing.F) {
	dialecttest.Fuzz(f, read("cursor-cli.yaml"), "testdata/cursor-cli/cases")
}

func FuzzManagedAgents(f *testing.F) {
	dialecttest.Fuzz(f, read("managed-agents.yaml"), "testdata/managed-agents/cases")
}
