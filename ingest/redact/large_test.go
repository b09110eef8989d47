package redact

import (
	"bytes"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"tapedeck/schema"
)

// A frame of many levels, texts or numbers takes memory in proportion to its bytes, and a secret in
// it is masked.
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

// Texts that are made of beginnings of secrets take time in proportion to their bytes, and nothing
// behind them is recorded in the clear.
func TestManyBeginnings(t *testing.T) {
	secret := []byte(example("gh~p_~{36}", 1))
	for _, unit := range []string{"-----BEGIN PRIVATE KEY-----", "-eyJ", "://a:", "\\n-----BEGIN PRIVATE KEY-----", "Bearer a1b2c3d4e5f6g7h8i9 "} {
		raw := append([]byte(`{"a":"`), bytes.Repeat([]byte(unit), 1<<20/len(unit))...)
		raw = append(append(append(raw, ' '), secret...), `"}`...)
		m := Default().NewMasker()
		began := time.Now()
		pass := func(f *schema.Frame) {
			if bytes.Contains(f.Raw, secret) || !json.Valid(f.Raw) {
				t.Errorf("%q: the secret behind it is recorded, or the frame is no JSON", unit)
			}
		}
		m.Push(&schema.Frame{Transport: schema.NDJSON, Raw: raw}, pass)
		m.End(pass)
		if took := time.Since(began); took > time.Minute { // without a bound it takes hours
			t.Errorf("%q: %v", unit, took)
		}
		t.Logf("%q: %v", unit, time.Since(began))
	}
}
