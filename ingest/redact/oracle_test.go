package redact

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/ingest/redact/redacttest"
)

// notByGitleaks are the rules whose examples gitleaks does not find, with the reason.
var notByGitleaks = func() map[string]string {
	reasons := map[string]string{
		"authorization": "it looks for header fields in commands of curl alone", "api-key-header": "it looks for header fields in commands of curl alone",
		"sentry-token":    "it looks for the members of a real token's JSON in it, which the example does not have",
		"assigned-secret": "it finds it by its rule for any random text, which is not counted",
		"email":           "it looks for credentials", "phone": "it looks for credentials", "card": "it looks for credentials",
	}
	for id := range strings.FieldsSeq("openrouter-key deepseek-key litellm-key langfuse-key langsmith-key google-oauth-token google-oauth-secret azure-storage-key " +
		"groq-key xai-key replicate-token fireworks-key cerebras-key nvidia-key tavily-key pinecone-key " +
		"elevenlabs-key bitbucket-app-password discord-webhook stripe-webhook-secret resend-key crates-token docker-token supabase-token " +
		"notion-legacy-token figma-token tapedeck-token url-password url-parameter " +
		"compatible-key openai-ephemeral-key google-auth-key google-refresh-token together-key jina-key voyage-key brave-search-key firecrawl-key e2b-key " +
		"apify-token context7-key discord-token slack-browser-token tailscale-key vercel-token netlify-token neon-key circleci-token hubspot-token " +
		"posthog-key contentful-token sonarqube-token buildkite-token environment-secret secret-argument netrc-password docker-auth aws-secret-access-key") {
		reasons[id] = "it has no rule for it"
	}
	return reasons
}()

// gitleaks, a scanner with rules of its own, finds the example of each rule, or it has no rule
// for it. It has a module of its own, so that the product's does not list what it needs.
func TestOracle(t *testing.T) {
	if os.Getenv("TAPEDECK_TEST_ORACLE") == "" {
		t.Skip("gitleaks is built by make oracle only")
	}
	dir := t.TempDir()
	for _, r := range allRules() {
		text, _ := redacttest.Parts(r.Example, 7)
		provider, _, _ := strings.Cut(r.ID, "-") // some of its rules need the name beside the key
		if err := os.WriteFile(filepath.Join(dir, r.ID+".txt"), []byte(provider+" = \""+text+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../tools/gitleaks.mod", "gitleaks", "dir", "--no-banner", "--exit-code", "0",
		"--report-format", "json", "--report-path", out, dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var findings []struct{ File, RuleID string }
	if err := json.Unmarshal(data, &findings); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range findings {
		if f.RuleID != "generic-api-key" { // that is for any random text
			found[strings.TrimSuffix(filepath.Base(f.File), ".txt")] += f.RuleID + " "
		}
	}
	for _, r := range allRules() {
		switch reason := notByGitleaks[r.ID]; {
		case found[r.ID] == "" && reason == "":
			t.Errorf("%s: gitleaks does not find its example, and no reason is listed", r.ID)
		case found[r.ID] != "" && reason != "":
			t.Errorf("%s: gitleaks finds it (%s), so the reason %q is wrong", r.ID, found[r.ID], reason)
		}
	}
}
