package endpoint

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"tapedeck/internal/problem"
)

// Whatever the query of a URL is: the readers return values within their bounds, or Done an
// error that names a parameter and can be sent.
func FuzzParams(f *testing.F) {
	for _, seed := range []string{
		"", "n=5", "n=-1", "n=99999999999999999999", "n=5&n=6", "from=2026-01-01&to=2025-01-01", "from=-7d&to=now", "tz=Europe/Berlin&from=today",
		"tz=../../etc/passwd", "digest=" + "ab", "flag=maybe", "word=a,b,,a&word=c", "min_duration=1s&max_duration=2h", "min_cost=1e999", "min_cost=0.1&max_cost=NaN",
		"min_tokens=9223372036854775808", "%zz", "a;b", "n=%00", "unknown=1", "from=9999999999999-01-01", "min_duration=-5m", "one=x", "one=b&n=%F0%9F%98%80",
	} {
		f.Add(seed)
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.RawQuery = query
		p := NewParams(r)
		n := p.Number("n", 10, 1, 100)
		zone := p.Zone("tz")
		from, to := p.Range(zone, now)
		low, high := p.Durations("min_duration", "max_duration")
		least, most := p.Costs()
		fewest, greatest := p.Tokens()
		digest, words, one := p.Digest("digest"), p.Words("word"), OneOf(p, "one", []string{"a", "b"})
		p.Flag("flag")
		p.Duration("duration")
		err := p.Done()
		if err != nil {
			bad, ok := errors.AsType[*problem.Problem](err)
			if !ok || bad.Status != 400 {
				t.Fatalf("%q: %v", query, err)
			}
			if _, err := json.Marshal(bad); err != nil {
				t.Errorf("%q: the problem cannot be sent: %v", query, err)
			}
			return
		}
		switch {
		case n < 1 || n > 100, zone == nil, !from.IsZero() && !to.IsZero() && to.Before(from), low < 0 || high < 0,
			least != nil && least.IsNegative(), most != nil && most.IsNegative(), fewest < 0 || greatest != nil && *greatest < 0,
			digest != "" && len(digest) != 64, one != "" && one != "a" && one != "b":
			t.Errorf("%q: %d, %v, %v to %v, %v to %v, %v to %v, %d to %v, %q, %q", query, n, zone, from, to, low, high, least, most, fewest, greatest, digest, one)
		}
		for _, w := range words {
			if w == "" {
				t.Errorf("%q: an empty word", query)
			}
		}
	})
}
