package otlp

import (
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/dialect/dialecttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCases(t *testing.T) { dialecttest.Run(t, Dialect, "testdata/cases") }

func FuzzDecode(f *testing.F) { dialecttest.Fuzz(f, Dialect, "testdata/cases") }
