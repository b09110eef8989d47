package retention

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Limits that cannot be are refused before anything is looked up.
func TestLimitsRefused(t *testing.T) {
	s := &Service{}
	w := httptest.NewRecorder()
	s.ServePreview(w, httptest.NewRequest(http.MethodGet, "/v1/retention/preview?max_age_s=60", nil), "t")
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"parameter":"kind"`) {
		t.Errorf("limits without a kind: %d %s", w.Code, w.Body)
	}
	for _, text := range []string{`{"kind":"nope","max_age_s":60}`, `{"kind":"charges","max_age_s":60}`} {
		var c change
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		_, bad := c.policy("t")
		if bad == nil || strings.Contains(bad.Detail, "cannot be set") || c.Kind == "nope" && (bad.Parameter != "kind" || !strings.Contains(bad.Detail, `kind "nope" is not known`)) {
			t.Errorf("%s: %+v", text, bad)
		}
	}
	w = httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPut, "/v1/retention", strings.NewReader(`{"kind":"frames","max_bytes":9223372036854775808}`))
	r.Header.Set("Content-Type", "application/json")
	s.ServeSet(w, r, "t")
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"parameter":"max_bytes"`) {
		t.Errorf("2^63 bytes: %d %s", w.Code, w.Body)
	}
}
