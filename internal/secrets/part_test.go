package secrets

import (
	"strings"
	"testing"
)

// Parts of forms lose their contents by their names, in the notations of RFC 7578, RFC 5987 and
// older clients; JSON in a part loses the members that a JSON body loses.
func TestMaskPart(t *testing.T) {
	for in, want := range map[string]string{
		"Content-Disposition: form-data; name=\"password\"\n\nabc":                                                                            "[redacted]",
		"content-disposition: form-data; name=api_key\n\nabc\n":                                                                               "[redacted]\n",
		"Content-Disposition: form-data;\n name=\"user[password]\"\n\na\n\nb\n":                                                               "[redacted]\n",
		"Content-Disposition: form-data; name*=UTF-8''client%5Fsecret\n\nabc\n":                                                               "[redacted]\n",
		"Content-Disposition: form-data; name=\"token\"; name=\"x\"\n\nabc":                                                                   "[redacted]",
		"Content-Type: text/plain\nContent-Disposition: form-data; name=\"sig\"\n\n-":                                                         "[redacted]",
		"Content-Disposition: form-data; name=\"token\"; filename=\"t\"\n\nabc\n":                                                             "[redacted]\n",
		"Content-Disposition: form-data; name=\"token\"\n\n[redacted]\n":                                                                      "[redacted]\n",
		"Content-Disposition: form-data; name=\"token\"\n\n\n":                                                                                "\n",
		"Content-Disposition: form-data; name=\"author\"\n\nabc\n":                                                                            "abc\n",
		"Content-Disposition: form-data; name=\"x\"\n\n{\"api_key\":\"abc\",\"n\":1}":                                                         `{"api_key":"[redacted]","n":1}`,
		"Content-Type: application/json\n\n{\"token\":\"abc\"}\n":                                                                             `{"token":"[redacted]"}` + "\n",
		"Content-Disposition: form-data; name=\"f\"; filename=\"f\"\n\n{\"token\":\"a":                                                        `{"token":"a`,
		"Content-Disposition: form-data; name=\"f\"; filename=\"blob\"\nContent-Type: application/json; charset=utf-8\n\n{\"token\":\"abc\"}": `{"token":"[redacted]"}`,
		"Content-Disposition: form-data; name=\"password\"":                                                                                   "",
		"": "",
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			in, want := "--b"+eol+strings.ReplaceAll(in, "\n", eol), strings.ReplaceAll(want, "\n", eol)
			head, _, _ := strings.Cut(in, eol+eol)
			if head != in {
				head += eol + eol
			}
			masked, cuts := Names{}.MaskPart([]byte(in))
			if string(masked) != head+want || (cuts == nil) != (in == head+want) {
				t.Errorf("%q became %q, want the content %q; %v", in, masked, want, cuts)
			}
			for i := len(cuts) - 1; i >= 0; i-- { // the cuts say the same
				in = in[:cuts[i].From] + Mask + in[cuts[i].To:]
			}
			if in != head+want {
				t.Errorf("by its cuts %v it is %q", cuts, in)
			}
		}
	}
}
