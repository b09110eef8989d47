package secrets

import "testing"

func TestURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.example.com/v1":                       "https://api.example.com/v1",
		"https://user:SECRET@api.example.com/v1":           "https://user:xxxxx@api.example.com/v1",
		"https://user:SEC@RET@api.example.com":             "https://user:xxxxx@api.example.com",
		"wss://user:SECRET@host:1/?token=SECRET#id=SECRET": "wss://user:xxxxx@host:1/",
		"user:SECRET@host/":                                "user:xxxxx@host/",
		"ftp://u:SECRET@h":                                 "ftp://u:xxxxx@h",
		"https://token@host/":                              "https://token@host/",
		"https://a1b2c3d4e5f6g7h8@host/p":                  "https://xxxxx@host/p",
		"https://a1b2c3d4e5f6g7h8:x-oauth@host/p":          "https://xxxxx:xxxxx@host/p",
		"": "",
	} {
		if got := URL(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
