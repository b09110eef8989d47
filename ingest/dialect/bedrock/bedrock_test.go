package bedrock

import (
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/dialect/dialecttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCases(t *testing.T) { dialecttest.Run(t, Dialect, "testdata/cases") }

func FuzzDecode(f *testing.F) { dialecttest.Fuzz(f, Dialect, "testdata/cases") }

func BenchmarkDecode(b *testing.B) {
	dialecttest.Bench(b, Dialect, dialecttest.Case(b, "testdata/cases/stream.txtar"))
}

func TestIdle(t *testing.T) {
	dialecttest.Idle(t, Dialect, dialecttest.Case(t, "testdata/cases/stream.txtar"), 50)
}
