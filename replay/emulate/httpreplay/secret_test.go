package httpreplay

import "testing"

// A body is found again though its secrets were not recorded; another is not.
func TestPrintWithoutSecrets(t *testing.T) {
	recorded := []byte("\ufeff" + `{"api_key":"[redacted]","model":"m","mine":["[redacted]"]}`)
	secret := maskedIn(recorded)
	sum := fingerprintOf(recorded, secret...)
	for body, same := range map[string]bool{
		`{"model":"m","api_key":"sk-1","mine":["x"]}`: true,
		"\ufeff" + `{"model":"m","api_key":"sk-2"}`:   true,
		`{"model":"other","api_key":"sk-1"}`:          false,
	} {
		if (fingerprintOf([]byte(body), secret...) == sum) != same {
			t.Errorf("%s is the recorded body: %v", body, !same)
		}
	}
}

// A body is found again though secrets below its outermost object were not recorded.
func TestPrintWithoutNestedSecrets(t *testing.T) {
	recorded := []byte(`{"tools":[{"name":"x","authorization":"Bearer [redacted:authorization#1]"},{"headers":{"X-Pin":"[redacted]"}}],"text":"use [redacted:a#1] now"}`)
	sum := fingerprintOf(recorded, maskedIn(recorded)...)
	for body, same := range map[string]bool{
		`{"tools":[{"name":"x","authorization":"Bearer t"},{"headers":{"X-Pin":"1"}}],"text":"use [redacted:a#1] now"}`: true,
		`{"tools":[{"name":"x"},{"headers":{}}],"text":"use [redacted:a#1] now"}`:                                       true,
		`{"tools":[{"name":"y","authorization":"Bearer t"},{"headers":{"X-Pin":"1"}}],"text":"use [redacted:a#1] now"}`: false,
		`{"tools":[{"name":"x","authorization":"Bearer t"},{"headers":{"X-Pin":"1"}}],"text":"use it now"}`:             false,
		`{"tools":"none"}`: false,
	} {
		if (fingerprintOf([]byte(body), maskedIn(recorded)...) == sum) != same {
			t.Errorf("%s is the recorded body: %v", body, !same)
		}
	}
}

// A path is found again though secrets in its parameters were not recorded.
func TestPathWithoutSecrets(t *testing.T) {
	for _, tc := range []struct {
		recorded, path string
		same           bool
	}{
		{"/p", "/p", true},
		{"/p", "/p;token=x", false},
		{"/p;token=[redacted]", "/p;token=sk-1", true},
		{"/p;token=[redacted]", "/p;token=[redacted]", true},
		{"/p;token=[redacted]", "/p;token=sk-1/q", false},
		{"/p;token=[redacted]", "/p;other=sk-1", false},
		{"/p;token=[redacted]/q;key=[redacted]", "/p;token=a/q;key=b", true},
		{"/p;token=[redacted]/q;key=[redacted]", "/p;token=a/r;key=b", false},
	} {
		x := &exchange{method: "GET", path: tc.recorded}
		if x.at("GET", tc.path) != tc.same {
			t.Errorf("%s answers %s: %v", tc.recorded, tc.path, !tc.same)
		}
	}
}
