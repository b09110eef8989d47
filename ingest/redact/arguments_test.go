package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestArguments(t *testing.T) {
	for in, want := range map[string]string{
		"agent --token abc --max-tokens 5":                                              "agent --token [redacted] --max-tokens 5",
		"agent --api-key=abc -v":                                                        "agent --api-key=[redacted] -v",
		"env OPENAI_API_KEY=abc PATH=/bin agent":                                        "env OPENAI_API_KEY=[redacted] PATH=/bin agent",
		"curl -u me:abc https://h/p?key=abc&q=1":                                        "curl -u me:[redacted] https://h/p?key=[redacted]&q=1",
		"curl|-H|Authorization: Bearer abc|-H|A: b":                                     "curl|-H|Authorization: [redacted]|-H|A: b",
		"curl|-H|Cookie: a=abc; b=abc":                                                  "curl|-H|Cookie: a=[redacted]; b=[redacted]",
		"curl|-HAuthorization:Bearer abc|-H|X-Api-Key:abc":                              "curl|-HAuthorization:[redacted]|-H|X-Api-Key:[redacted]",
		"curl|--header=Authorization: Bearer abc|--header|Accept:*/*":                   "curl|--header=Authorization: [redacted]|--header|Accept:*/*",
		"curl -ume:abc --user=me:abc --proxy-user me:abc -U me:abc":                     "curl -ume:[redacted] --user=me:[redacted] --proxy-user me:[redacted] -U me:[redacted]",
		"curl -b a=abc --cookie=a=abc -b jar.txt --cookie a=abc":                        "curl -b a=[redacted] --cookie=a=[redacted] -b jar.txt --cookie a=[redacted]",
		`curl -d {"api_key":"abc","model":"m"}`:                                         `curl -d {"api_key":"[redacted]","model":"m"}`,
		"npm run auth:login --user --help -- a:b":                                       "npm run auth:login --user --help -- a:b",
		"psql postgres://u:abc@h/d --password --help":                                   "psql postgres://redacted@h/d --password --help",
		"http GET h/p Authorization:abc X-API-Token:abc a:b":                            "http GET h/p Authorization:[redacted] X-API-Token:[redacted] a:b",
		"docker run --env=OPENAI_API_KEY=abc --env=A=b":                                 "docker run --env=OPENAI_API_KEY=[redacted] --env=A=b",
		"agent --secret -a1b2c3d4e5f6g7h8 --token -v --password --x1y2z3a4b5c6d7":       "agent --secret [redacted] --token -v --password --x1y2z3a4b5c6d7",
		"agent --session live-deploy --session-id=0198a000-1111-7222-8333-444455556666": "agent --session live-deploy --session-id=0198a000-1111-7222-8333-444455556666",
		"op --session aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5dE7fG9h item":                 "op --session [redacted] item",
		"agent - -- -": "agent - -- -",
	} {
		separator := " "
		if strings.Contains(in, "|") {
			separator = "|"
		}
		list := strings.Split(in, separator)
		before := slices.Clone(list)
		if got := strings.Join(NewByName(nil, nil, false).Arguments(list), separator); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if !slices.Equal(before, list) {
			t.Errorf("%s: the arguments were changed", in)
		}
		if got := strings.Join(NewByName(nil, nil, true).Arguments(list), separator); got != in {
			t.Errorf("off: %s became %s", in, got)
		}
	}
}
