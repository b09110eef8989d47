package redact

import (
	"bytes"
	"runtime"
	"testing"

	"tapedeck/schema"
)

// A frame of many levels, texts or numbers takes memory in proportion to its bytes, and a secret in it
// is masked.
func TestLargeStructures(t *testing.T) {
	const size = 8 << 20
	secret := []byte(example("gh~p_~{36}", 1))
	for name, unit := range map[string]string{"levels": "[", "objects": `{"a":`, "texts": `"",`, "names": `"a":1,`, "numbers": "1,"} {
		for _, has := range []bool{false, true} {
			raw := append([]byte("["), bytes.Repeat([]byte(unit), size/len(unit))...)
			if has {
				raw = append(append(append(raw, '"'), secret...), '"')
			}
			f := &schema.Frame{Transport: schema.NDJSON, Raw: raw}
			m := Default().NewMasker()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			masked := false
			pass := func(f *schema.Frame) { masked = f.Flags.Has(schema.FlagRedacted) && !bytes.Contains(f.Raw, secret) }
			m.Push(f, pass)
			m.End(pass)
			runtime.ReadMemStats(&after)
			if masked != has {
				t.Errorf("%s: masked %v, want %v", name, masked, has)
			}
			most := uint64(16 << 20)
			if has {
				most += 4 * size // the frame is written anew
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("%s: %d MiB for a frame of %d MiB", name, took>>20, size>>20)
			}
		}
	}
}
