package dialects_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"tapedeck/schema"
)

// perModel sums up the usages of each model. A running total adds its difference to the previous
// total of its scope; a lower total is the start of another count.
func (r *recording) perModel() map[string]schema.Tokens {
	sums := map[string]schema.Tokens{}
	before := map[string]schema.Tokens{}
	usages := slices.Clone(r.usages)
	slices.SortStableFunc(usages, func(a, b schema.Usage) int { return cmp.Compare(a.At, b.At) })
	for _, u := range usages {
		t := u.Tokens
		if u.Mode == schema.UsageRunning {
			scope := u.Session + " " + u.Scope
			if last := before[scope]; t.Sum() >= last.Sum() {
				t = combined(t, last, func(a, b uint64) uint64 { return a - b })
			}
			before[scope] = u.Tokens
		}
		sums[u.Model] = combined(sums[u.Model], t, func(a, b uint64) uint64 { return a + b })
	}
	return sums
}

// total sums up all usages.
func (r *recording) total() schema.Tokens {
	var sum schema.Tokens
	for _, t := range r.perModel() {
		sum = combined(sum, t, func(a, b uint64) uint64 { return a + b })
	}
	return sum
}

func combined(a, b schema.Tokens, op func(a, b uint64) uint64) schema.Tokens {
	return schema.Tokens{
		Input: op(a.Input, b.Input), CacheRead: op(a.CacheRead, b.CacheRead),
		CacheWrite5m: op(a.CacheWrite5m, b.CacheWrite5m), CacheWrite1h: op(a.CacheWrite1h, b.CacheWrite1h),
		Output: op(a.Output, b.Output), Reasoning: op(a.Reasoning, b.Reasoning),
	}
}

// buckets lists the counts that are not 0, and their sum.
func buckets(t schema.Tokens) string {
	line := ""
	for _, b := range []struct {
		name  string
		count uint64
	}{
		{"input", t.Input}, {"cache_read", t.CacheRead}, {"cache_write_5m", t.CacheWrite5m},
		{"cache_write_1h", t.CacheWrite1h}, {"output", t.Output}, {"reasoning", t.Reasoning}, {"total", t.Sum()},
	} {
		if b.count != 0 {
			line += fmt.Sprintf(" %s=%d", b.name, b.count)
		}
	}
	return line
}

// digest returns a text's length in characters and the beginning of its SHA-256.
func digest(text string) string {
	return fmt.Sprintf("%d characters %.8x", utf8.RuneCountInString(text), sha256.Sum256([]byte(text)))
}

// compact removes the white space between JSON tokens.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// brief returns a text of at most 200 characters, or the digest of a longer text.
func brief(text string) string {
	if utf8.RuneCountInString(text) > 200 {
		return digest(text)
	}
	return text
}
