package console

import (
	"strings"
	"testing"
)

// Long runs of base64 are replaced by their length; everything else stays.
func TestWithoutBase64(t *testing.T) {
	picture := strings.Repeat("iVBORw0K+/", 30)
	for text, want := range map[string]string{
		"":                       "",
		"an id " + picture[:255]: "an id " + picture[:255],
		`{"data":"` + picture + `==","type":"image"}`:              `{"data":"(302 bytes of base64)","type":"image"}`,
		picture + " and " + picture:                                "(300 bytes of base64) and (300 bytes of base64)",
		strings.Repeat("words of a text ", 100):                    strings.Repeat("words of a text ", 100),
		strings.Repeat("-", 100) + "\n" + strings.Repeat("=", 300): strings.Repeat("-", 100) + "\n" + strings.Repeat("=", 300),
	} {
		if got := WithoutBase64(text); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}
