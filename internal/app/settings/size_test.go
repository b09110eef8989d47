package settings

import (
	"strings"
	"testing"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "16777216": 16777216, "16MiB": 16777216, "16 MiB": 16777216, "1.5GiB": 1610612736, "1GB": 1_000_000_000,
		"64Ki": 65536, "2kB": 2000, "12B": 12, "-1": -1, "8191PiB": 9222246136947933184,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q: %d, %v; want %d", text, s, err, want)
		}
		var again Size
		if err := again.UnmarshalText([]byte(s.String())); err != nil || again != s {
			t.Errorf("%q is written as %s, which is read as %d, %v", text, s, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "it must be a number", "x": "it must be a number", "16MB/s": "it must be a number", "1e6": "it must be a number",
		"16M": "write 16MiB (1024 to the unit) or 16MB (1000)", "0.3B": "whole number of bytes", "8192PiB": "it is more than",
		"99999999999999999999": "it is more than", "1.2.3": "it must be a number", "NaN": "it must be a number", "--5": "it must be a number",
		"1/2": "it must be a number", "0x10": "it must be a number",
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d, %v; want %q", text, s, err, want)
		}
	}
	for n, want := range map[Size]string{0: "0", 1: "1", 1024: "1KiB", 1 << 40: "1TiB", 1025: "1025", 3 << 20: "3MiB", -1024: "-1KiB"} {
		if n.String() != want {
			t.Errorf("%d: %s, want %s", int64(n), n, want)
		}
	}
}
