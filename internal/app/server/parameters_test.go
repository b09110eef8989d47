package server

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tapedeck/query"
	"tapedeck/replay/tapefile"
)

// A parameter that a route does not know is refused by its name on every route of
// the document, save where a recorded application or an OpenID provider has parameters of its own.
func TestUnknownParameters(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(query.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	s := bareServer(t)
	for path, item := range doc.Paths.Map() {
		if strings.HasPrefix(path, "/emulate/") || strings.HasPrefix(path, "/api/v0/executions/") || path == "/login/callback" {
			continue
		}
		route := regexp.MustCompile(`{\w+}`).ReplaceAllString(path, "x")
		for method := range item.Operations() {
			for _, name := range []string{"nosuch", "tenant"} {
				fields := []string{"Content-Type: application/x-ndjson"}
				if path == "/v1/import" {
					fields = []string{"Content-Type: " + tapefile.MediaType}
				}
				code, body := ask(t, s, method, route+"?"+name+"=1", fields...)
				if broken, _ := ask(t, s, method, route+"?session=%zz", fields...); broken != http.StatusBadRequest {
					t.Errorf("%s %s?session=%%zz: %d", method, path, broken)
				}
				if code != http.StatusBadRequest || !strings.Contains(body, `"parameter":"`+name+`"`) {
					t.Errorf("%s %s?%s=1: %d %s", method, path, name, code, strings.TrimSpace(body))
				}
			}
		}
	}
}
