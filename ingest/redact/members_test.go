package redact

import (
	"strings"
	"testing"

	"tapedeck/schema"
)

// The texts of members whose names are those of secrets are masked at any depth of a frame,
// whatever reads it, and texts of other members are not.
func TestMembersOfFrames(t *testing.T) {
	secret := example("{43}", 5)
	for in, masked := range map[string]bool{
		`{"tools":[{"type":"mcp","server_url":"https://x.example","authorization":"%"}]}`: true,
		`{"tools":[{"type":"mcp","headers":{"X-Api-Key":"%","Accept":"a"}}]}`:             true,
		`{"mcp_servers":[{"type":"url","name":"x","authorization_token":"%"}]}`:           true,
		`{"a":{"b":[{"env":{"API_TOKEN":"%"}}]}}`:                                         true,
		`{"type":"tool_use","input":{"env":{"OPENAI_API_KEY_2":"%"}}}`:                    true,
		`{"access_token":"%","token_type":"bearer","expires_in":3600}`:                    true,
		`{"result":{"refreshToken":"%"}}`:                                                 true,
		`{"headers":{"authorization":"Bearer %"}}`:                                        true,
		`{"env":[{"name":"DB_PASSWORD","value":"%"}]}`:                                    true,
		`{"headers":[{"key":"X-Api-Key","value":"%"}]}`:                                   true,
		`{"params":{"arguments":{"db_password":"hunter2!%"}}}`:                            true,
		`{"command":"npx","args":["-y","server","--api-key","%","--verbose"]}`:            true,
		`{"args":["--token=%"]}`:                                                          true,
		`{"args":["--verbose","%"]}`:                                                      false,
		`{"pageToken":"%"}`:                                                               false,
		`{"_meta":{"progressToken":"%"}}`:                                                 false,
		`{"prompt_cache_key":"%","idempotency_key":"%"}`:                                  false,
		`{"token":"the token that the function parses"}`:                                  false,
		`{"properties":{"api_key":{"type":"string","description":"%"}}}`:                  false,
		`{"name":"API_KEY","description":"%"}`:                                            false,
		`{"token":"hello","n":1}`:                                                         false,
	} {
		for _, transport := range []schema.Transport{schema.NDJSON, schema.SSE, schema.WebSocket, schema.HTTP} {
			raw := strings.ReplaceAll(in, "%", secret)
			if transport == schema.SSE {
				raw = "data: " + raw + "\n\n"
			}
			out := record(t, Default().NewMasker(), []*schema.Frame{{Transport: transport, Raw: []byte(raw)}})
			if got := string(out[0].Raw) != raw; got != masked || masked && strings.Contains(string(out[0].Raw), secret) {
				t.Errorf("%s: %s", transport, out[0].Raw)
			}
		}
	}
}
