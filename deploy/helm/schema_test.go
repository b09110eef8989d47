package helm

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"tapedeck/internal/app/settings"
)

var writeSchema = flag.Bool("write-schema", false, "write the names of settings into values.schema.json")

// own are the settings that the chart derives from other values.
var own = []string{
	"role", "listen", "data", "tokens", "admin-token-file", "allow-host", "allow-origin", "trusted-proxy", "public-url", "oidc-issuer", "oidc-client-id",
	"oidc-client-secret-file", "oidc-scopes", "oidc-grant", "tls-cert", "tls-key", "tls-min-version", "tls-client-ca", "nats", "nats-ca", "nats-cert", "nats-key",
	"nats-server-name", "nats-credentials", "clickhouse", "clickhouse-password-file", "clickhouse-ca", "clickhouse-cert", "clickhouse-key",
	"clickhouse-server-name", "replicas", "max-bytes", "migrate", "demo", "config",
}

// The values take the settings that servers have, and no others. "make reference" writes new ones.
func TestSchemaSettings(t *testing.T) {
	const path = "tapedeck/values.schema.json"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	definition := schema["definitions"].(map[string]any)["settings"].(map[string]any)
	had, want := definition["properties"].(map[string]any), map[string]any{}
	for _, s := range settings.List() {
		if slices.Contains(s.Commands, "serve") && !slices.Contains(own, s.Name) {
			want[s.Name] = map[string]any{"$ref": "#/definitions/setting"}
		}
	}
	if *writeSchema {
		definition["properties"] = want
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(schema); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name := range had {
		if want[name] == nil {
			t.Errorf("the schema has the setting %s, which serve has not, or which the chart sets", name)
		}
	}
	for name := range want {
		if had[name] == nil {
			t.Logf("the schema does not have %s: make reference writes it", name)
		}
	}
}
