package codexappserver

import (
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/dialect/dialecttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCases(t *testing.T) { dialecttest.Run(t, Dialect, "testdata/cases") }

func FuzzDecode(f *testing.F) { dialecttest.Fuzz(f, Dialect, "testdata/cases") }

func BenchmarkDecode(b *testing.B) {
	dialecttest.Bench(b, Dialect, dialecttest.Case(b, "testdata/cases/turn.txtar"))
}

func TestIdle(t *testing.T) {
	for _, name := range []string{"turn", "approval", "resume"} {
		dialecttest.Idle(t, Dialect, dialecttest.Case(t, "testdata/cases/"+name+".txtar"), 50)
	}
}
