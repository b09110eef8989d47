package custom_test

import (
	"strings"
	"testing"

	"tapedeck/ingest/dialect/custom"
)

// A rule states a limit by paths and constants. What cannot be true is left out.
func TestLimit(t *testing.T) {
	const rule = "  - when: {t: l}\n    limit: {name: n, plan: '=pro', status: st, used: u, max: m, used_percent: p, balance: b, window_seconds: '=60', resets: r, unlimited: x}\n"
	for text, want := range map[string]string{
		`{"t":"l","n":"q","st":"ok","u":5,"m":"10","r":"2026-01-02T00:00:00Z"}`:                                `"plan":"pro","window_s":60,"used":5,"max":10,"status":"ok","resets_at":1767312000`,
		`{"t":"l","n":"q","p":12.5,"b":"3.50","x":true,"r":1767312000}`:                                        `"plan":"pro","window_s":60,"used_percent":12.5,"balance":"3.50","unlimited":true,"resets_at":1767312000`,
		`{"t":"l","n":"q","p":1e308,"u":-1,"m":"NaN","b":"much","x":"yes","r":"99999-01-01T00:00:00Z","st":7}`: `"plan":"pro","window_s":60,"status":"7"`,
		`{"t":"l","n":"q","p":"Infinity","u":"0x10","r":1e300}`:                                                "",
		`{"t":"l","n":null,"p":5}`: "", `{"t":"l","p":5}`: "", `{"t":"l","n":"q"}`: "",
	} {
		o := decode(t, rule, text+"\n")
		got := ""
		if len(o.Limits) > 0 {
			got = o.Limits[0].Text()
			_, got, _ = strings.Cut(got, `[{"name":"q",`)
			got, _, _ = strings.Cut(got, `,"at":`)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestLimitProblems(t *testing.T) {
	for rule, want := range map[string]string{
		"{limit: {used: u}}":         `rules[0].limit: the key "name" is missing`,
		"{limit: {name: n}}":         `rules[0].limit: nothing is stated: at least one of "used"`,
		"{limit: {name: n, usd: u}}": `rules[0].limit: unknown key "usd"; did you mean "used"?`,
		"{limit: x}":                 `rules[0].limit: this must be a mapping`,
	} {
		_, err := custom.Parse("f.yaml", []byte("name: x\nrules:\n  - "+rule+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", rule, err, want)
		}
	}
}
