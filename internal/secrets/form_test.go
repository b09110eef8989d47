package secrets

import "testing"

func TestMaskForm(t *testing.T) {
	for in, want := range map[string]string{
		"client_secret=abc&grant_type=x":                    "client_secret=[redacted]&grant_type=x",
		"grant_type=refresh_token&refresh_token=abc":        "grant_type=refresh_token&refresh_token=[redacted]",
		"user=me&password=a%20b":                            "user=me&password=[redacted]",
		"client%5Fsecret=abc&max_tokens=5&code=abc":         "client%5Fsecret=[redacted]&max_tokens=5&code=[redacted]",
		"client_secret=&token&%zz=1&token=[redacted]&q=key": "client_secret=&token&%zz=1&token=[redacted]&q=key",
		"": "",
	} {
		masked, cuts := Names{}.MaskForm([]byte(in))
		if string(masked) != want || (cuts == nil) != (in == want) {
			t.Errorf("%q became %q, want %q; %v", in, masked, want, cuts)
		}
		for i := len(cuts) - 1; i >= 0; i-- { // the cuts say the same
			in = in[:cuts[i].From] + Mask + in[cuts[i].To:]
		}
		if in != want {
			t.Errorf("by its cuts %v it is %q, want %q", cuts, in, want)
		}
	}
}
