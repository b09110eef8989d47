package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tapedeck/schema"
)

// shapes are secrets beside the examples of rules: values that are secrets by their names, in the
// ways in which programs write them, and further forms of keys. {N} is as in the examples of rules.
var shapes = []string{
	"AWS_SECRET_ACCESS_KEY={40}", "aws_secret_access_key = {40}", `export AWS_SESSION_TOKEN="{200}"`, `"SecretAccessKey": "{40}"`, "AZURE_OPENAI_API_KEY={h32}",
	"AZURE_OPENAI_KEY={84}", "MISTRAL_API_KEY={32}", "export COHERE_API_KEY='{40}'", "EXA_API_KEY={h8}-{h4}-{h4}-{h4}-{h12}", "DB_PASSWORD=hunter{d4}!x", "JWT_SECRET={h64}",
	"SECRET_KEY_BASE={h128}", `"apiKey": "{32}"`, `client_secret: {36}`, `datadog_api_key: "{h32}"`, `password = "c0rrect-{8}"`, `os.environ["SERPER_API_KEY"] = "{h40}"`,
	`$env:DEEPGRAM_API_KEY = "{h40}"`, `set -x ASSEMBLYAI_API_KEY {h32}`, `//npm.example/:_authToken={h8}-{h4}-{h4}-{h4}-{h12}`, `--api-key {32}`, `--token={32}`, `<apiKey>{32}</apiKey>`,
	`const token: string = '{32}'`, `api_key=u"{32}"`, `"GITHUB_PAT": "{B52}"`, `X-Subscription-Token: {32}`,
	"sk-{48}", "sk-{h32}", "sk-kimi-{48}", "sk-{40}", "AQ.Ab8RN6{44}", "1//0{60}", "1//0g{90}", "fc-{h32}", "e2b_{h40}", "tgp_v1_{43}", "jina_{h32}{28}", "jina_{60}", "pa-{43}", "BSA{28}", "BSA{27}",
	"tskey-auth-{12}CNTRL-{32}", "tskey-api-{17}-{21}", "HRKU-AA{58}", "HRKU-{h8}-{h4}-{h4}-{h4}-{h12}", "fm2_lJPE{160}", "fm1r_{120}==", "vcp_{56}", "vck_{56}", "CCIPAT_{22}_{h40}", "pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}",
	"pat-eu1-{h8}-{h4}-{h4}-{h4}-{h12}", "phx_{47}", "phx_{43}", "MTA{21}.{6}.{38}", "Mj{22}.{6}.{27}", "NT{24}.G{5}.{38}", "OT{24}.{6}.{38}", "xoxc-{d12}-{d12}-{d12}-{h64}", "ek_{h32}",
}

// placesOf are the ways in which an agent's frames have a text. Base64 of texts is not one: it is
// not looked into.
var placesOf = []struct {
	name   string
	frames func(t *testing.T, s string) []*schema.Frame
}{
	{"content", messages(func(s string) string { return "the key is " + s + " for now" })},
	{"tool arguments", messages(func(s string) string { return quoted(map[string]any{"command": "curl -H x " + s, "n": 1}) })},
	{"JSON in JSON in JSON", messages(func(s string) string {
		return quoted(map[string]string{"body": quoted(map[string]string{"text": "a " + s})})
	})},
	{"environment", messages(func(s string) string { return "PATH=/bin\nX_VALUE=" + s + "\nHOME=/root\n" })},
	{"URL", messages(func(s string) string { return "GET https://api.example.com/v1/things?q=1&value=" + s + "&page=2" })},
	{"escaped URL", messages(func(s string) string {
		return "GET https://api.example.com/v1/things?q=1&value=" + url.QueryEscape(s) + "&page=2"
	})},
	{"Python dict", messages(func(s string) string {
		return "{'a': 1, 'value': '" + strings.ReplaceAll(s, "'", `\'`) + "', 'b': None}"
	})},
	{"Authorization", messages(func(s string) string { return `curl -H "Authorization: Bearer ` + s + `" https://x.example` })},
	{"YAML", messages(func(s string) string { return "a: 1\nvalue: " + s + "\nb: [2]\n" })},
	{"2 deltas", deltas(2)},
	{"6 deltas", deltas(6)},
	{"partial_json", func(_ *testing.T, s string) (frames []*schema.Frame) {
		for _, part := range parts(quoted(map[string]string{"a": "x", "value": s}), 4) {
			frames = append(frames, &schema.Frame{Transport: schema.SSE, Raw: []byte("event: content_block_delta\ndata: " +
				quoted(map[string]any{"type": "content_block_delta", "index": 1, "delta": map[string]string{"type": "input_json_delta", "partial_json": part}}) + "\n\n")})
		}
		return frames
	}},
	{"escapes", func(_ *testing.T, s string) []*schema.Frame {
		var b strings.Builder
		for _, c := range s {
			fmt.Fprintf(&b, `\u%04x`, c)
		}
		return []*schema.Frame{{Transport: schema.NDJSON, Raw: []byte(`{"type":"message","text":"see ` + b.String() + ` here"}` + "\n")}}
	}},
	{"colours", messages(func(s string) string { return "\x1b[1;32m" + s + "\x1b[0m\n" })},
	{"events", func(_ *testing.T, s string) []*schema.Frame {
		return []*schema.Frame{{Transport: schema.SSE, Raw: []byte("data: " + strings.ReplaceAll("log "+s+" end", "\n", "\ndata: ") + "\n\n")}}
	}},
}

// quoted returns JSON as most programs write it, without escapes of HTML.
func quoted(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}

func messages(of func(string) string) func(*testing.T, string) []*schema.Frame {
	return func(_ *testing.T, s string) []*schema.Frame {
		return []*schema.Frame{{Transport: schema.NDJSON, Raw: []byte(quoted(map[string]any{"type": "message", "content": of(s)}) + "\n")}}
	}
}

// parts cuts a text into n about equal ones.
func parts(s string, n int) (all []string) {
	for i := range n {
		all = append(all, s[len(s)*i/n:len(s)*(i+1)/n])
	}
	return all
}

func deltas(n int) func(*testing.T, string) []*schema.Frame {
	return func(_ *testing.T, s string) (frames []*schema.Frame) {
		for _, part := range parts("use "+s+" please", n) {
			frames = append(frames, &schema.Frame{Transport: schema.SSE, Raw: []byte("data: " +
				quoted(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]string{"content": part}}}}) + "\n\n")})
		}
		return frames
	}
}

var drawn = regexp.MustCompile(`\{([a-zA-Z]?)(\d+)\}`)

// draw puts a shape together from even random characters, and returns its random parts of eight and
// more.
func draw(shape string, r *rand.Rand) (text string, random []string) {
	alphabets := map[string]string{"": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "h": "0123456789abcdef", "d": "0123456789",
		"A": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "l": "abcdefghijklmnopqrstuvwxyz0123456789", "B": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "Q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"}
	shape = strings.Replace(shape, "{14}.atlas", "{13}.atlas", 1) // which is an id
	text = drawn.ReplaceAllStringFunc(shape, func(p string) string {
		m := drawn.FindStringSubmatch(p)
		n, _ := strconv.Atoi(m[2])
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabets[m[1]][r.IntN(len(alphabets[m[1]]))]
		}
		if n >= 14 && m[1] != "d" { // ids of bots and webhooks are digits
			random = append(random, string(b))
		}
		return string(b)
	})
	return text, random
}

// Secrets of all kinds are found in all places, for many random values. A rare value looks like
// words: of 40, one may be missed where only a name or the beginning says what it is.
func TestShapesInPlaces(t *testing.T) {
	all := slices.Clone(shapes)
	for _, r := range Rules() {
		all = append(all, strings.NewReplacer("~~", "~", "~", "").Replace(r.Example))
	}
	const draws = 40
	random := rand.New(rand.NewPCG(11, 12))
	missed, tried := 0, 0
	for _, place := range placesOf {
		found, of := 0, 0
		for _, shape := range all {
			if place.name == "escaped URL" && strings.ContainsAny(shape, " ,\"'/<>:@$") { // spaces and quotes have no other meaning there
				continue
			}
			of++
			without := 0
			for n := range draws {
				text, parts := draw(shape, random)
				out := record(t, Default().NewMasker(), place.frames(t, text))
				if n == 0 { // no placeholder is a secret
					if again := record(t, Default().NewMasker(), out); joined(again) != joined(out) {
						t.Errorf("%s, %q: %s became %s", place.name, shape, joined(out), joined(again))
					}
				}
				for _, part := range parts {
					if left := traces(out, part, nil); left != "" {
						without++
						t.Logf("%s, %q: %q is in %.300s", place.name, text, left, joined(out))
						break
					}
				}
				tried++
			}
			missed += without
			if without <= draws/40 {
				found++
			}
		}
		t.Logf("%-22s %d of %d shapes", place.name, found, of)
		if found < of {
			t.Errorf("%s: %d of %d shapes are found", place.name, found, of)
		}
	}
	t.Logf("%d of %d values were missed", missed, tried)
	if missed*5000 > tried {
		t.Errorf("%d of %d values were missed", missed, tried)
	}
}

func joined(frames []*schema.Frame) (s string) {
	for _, f := range frames {
		s += string(f.Raw)
	}
	return s
}
