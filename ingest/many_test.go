package ingest_test

import (
	"bytes"
	"runtime"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// A message of too many values is valid and not parsed, and takes little memory.
func TestManyValues(t *testing.T) {
	for _, tc := range []struct {
		values  int
		tooMany bool
	}{{wellformed.MaxValues / 2, false}, {6 << 20, true}} {
		f := &schema.Frame{Transport: schema.NDJSON, Raw: append(append([]byte("["), bytes.Repeat([]byte("1,"), tc.values)...), "1]\n"...)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var p ingest.Parser
		parsed := false
		p.Parse(f, func(in *dialect.Input) { parsed = in.JSON != nil })
		runtime.ReadMemStats(&after)
		if parsed == tc.tooMany || f.Flags.Has(schema.FlagTooDeep) != tc.tooMany || f.Flags.Has(schema.FlagNotJSON) {
			t.Errorf("%d values: parsed %v, flags %v", tc.values, parsed, f.Flags)
		}
		if took := after.TotalAlloc - before.TotalAlloc; tc.tooMany && took > 1<<20 {
			t.Errorf("%d values take %d MiB", tc.values, took>>20)
		}
	}
}
