package prices

import "testing"

func TestPattern(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{`^gpt-5(\.\d)?$`, "gpt-5.1", true},
		{`^gpt-5(\.\d)?$`, "gpt-50", false},
		{`^(?!.*-[tT][tT][sS](?:$|-))`, "gemini-3-flash", true},
		{`^(?!.*-[tT][tT][sS](?:$|-))`, "gemini-3-flash-TTS", false},
		{`^(?!.*-[tT][tT][sS](?:$|-))`, "gemini-3-tts-preview", false},
		{`^(?![^/]+/)(?:labs-)?(?:mi|code)stral`, "labs-mistral-small", true},
		{`^(?![^/]+/)(?:labs-)?(?:mi|code)stral`, "other/mistral-small", false},
		{`^(?![^/]+/)(?:labs-)?(?:mi|code)stral`, "a-mistral", false},
		{`^(?![])]x)y`, "y", true},
		{`^(?!a\)b)a`, "a)b", false},
	} {
		p, err := compilePattern(tc.pattern)
		if err != nil {
			t.Errorf("%s: %v", tc.pattern, err)
			continue
		}
		if got := p.matches(tc.name); got != tc.want {
			t.Errorf("%s on %q: %t, expected %t", tc.pattern, tc.name, got, tc.want)
		}
	}
	for _, broken := range []string{`^(?!a`, `(`, `^(?!()a`, `^a(?!b)`} {
		if _, err := compilePattern(broken); err == nil {
			t.Errorf("%s compiles", broken)
		}
	}
}
