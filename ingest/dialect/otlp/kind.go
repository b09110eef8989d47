package otlp

import (
	"strings"
	"time"

	"tapedeck/ingest/dialect"
	"tapedeck/internal/otlpwire"
)

// kind is what a span is of.
type kind int

const (
	otherKind kind = iota // not of generative AI
	agentKind             // an agent, a workflow, a call of an SDK that calls models
	stepKind              // a step of one
	llmKind               // one call of a model
	toolKind              // one call of a tool
)

// operations maps values of gen_ai.operation.name, of the semantic conventions.
var operations = map[string]kind{
	"chat": llmKind, "text_completion": llmKind, "generate_content": llmKind, "embeddings": llmKind, "completion": llmKind,
	"execute_tool": toolKind, "invoke_agent": agentKind, "invoke_workflow": agentKind, "create_agent": stepKind, "retrieval": stepKind,
}

// openInference maps values of openinference.span.kind.
var openInference = map[string]kind{
	"LLM": llmKind, "EMBEDDING": llmKind, "TOOL": toolKind, "AGENT": agentKind, "CHAIN": stepKind, "RETRIEVER": stepKind,
	"RERANKER": stepKind, "GUARDRAIL": stepKind, "EVALUATOR": stepKind, "PROMPT": stepKind,
}

// traceloop maps values of traceloop.span.kind, of OpenLLMetry.
var traceloop = map[string]kind{"workflow": agentKind, "agent": agentKind, "task": stepKind, "tool": toolKind}

// claudeCode maps values of span.type of Claude Code.
var claudeCode = map[string]kind{"interaction": agentKind, "llm_request": llmKind, "tool": toolKind}

func kindOf(item *otlpwire.Item) kind {
	a := item.Attributes
	if k := operations[strings.ToLower(a.Text("gen_ai.operation.name"))]; k != otherKind {
		return k
	}
	if id := a.Text("ai.operationId"); strings.HasPrefix(id, "ai.") { // the AI SDK
		switch {
		case id == "ai.toolCall":
			return toolKind
		case strings.Contains(id, ".do"):
			return llmKind
		}
		return agentKind
	}
	if k := openInference[strings.ToUpper(a.Text("openinference.span.kind"))]; k != otherKind {
		if k == stepKind && item.ParentID == "" {
			return agentKind
		}
		return k
	}
	if k := traceloop[a.Text("traceloop.span.kind")]; k != otherKind {
		return k
	}
	switch a.Text("llm.request.type") {
	case "chat", "completion", "embedding":
		return llmKind
	}
	if strings.HasPrefix(item.Name, "claude_code.") {
		return claudeCode[a.Text("span.type")]
	}
	return otherKind
}

var callKeys = []string{"gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id", "tool_use_id"}

func agentOf(a otlpwire.Attributes) string { return a.Text("gen_ai.agent.name", "agent.name") }

func nameOf(item *otlpwire.Item, k kind) (name string) {
	a := item.Attributes
	switch k {
	case llmKind:
		name = modelOf(a)
	case toolKind:
		name = a.Text("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "tool_name", "traceloop.entity.name")
		if name == "" {
			name = strings.TrimPrefix(item.Name, "execute_tool ")
		}
	default:
		name = a.Text("gen_ai.agent.name", "agent.name", "ai.telemetry.functionId", "traceloop.entity.name")
	}
	if name == "" {
		name = item.Name
	}
	return name
}

func modelOf(a otlpwire.Attributes) string {
	return a.Text("gen_ai.response.model", "ai.response.model", "gen_ai.request.model", "ai.model.id", "llm.model_name",
		"embedding.model_name", "llm.response.model", "llm.request.model", "model")
}

func requestedModel(a otlpwire.Attributes) string {
	return a.Text("gen_ai.request.model", "ai.model.id", "llm.request.model")
}

// providers maps names of the conventions to those of the other dialects, where they differ.
var providers = map[string]string{
	"aws.bedrock": "bedrock", "amazon-bedrock": "bedrock", "azure.ai.openai": "azure", "az.ai.openai": "azure", "azure.ai.inference": "azure",
	"gcp.gemini": "google", "gcp.gen_ai": "google", "gemini": "google", "gcp.vertex_ai": "google-vertex", "vertex_ai": "google-vertex",
	"mistral_ai": "mistral", "mistralai": "mistral", "moonshot_ai": "moonshotai", "x_ai": "xai",
}

// providerOf returns the provider that the attributes name, or which the model implies.
func providerOf(a otlpwire.Attributes) string {
	name := strings.ToLower(a.Text("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system"))
	if name == "" {
		name = strings.ToLower(a.Text("ai.model.provider"))
	}
	if of, ok := providers[name]; ok {
		return of
	}
	name, _, _ = strings.Cut(name, ".") // the AI SDK adds the API: openai.responses
	if name == "" {
		return dialect.ProviderOf(modelOf(a))
	}
	return name
}

// firstToken returns the time from the start of a call to its first output, ns.
func firstToken(a otlpwire.Attributes) (int64, bool) {
	for _, of := range [...]struct {
		key  string
		unit time.Duration
	}{
		{"gen_ai.response.time_to_first_chunk", time.Second}, {"gen_ai.client.operation.time_to_first_chunk", time.Second}, {"ai.response.msToFirstChunk", time.Millisecond}, {"ttft_ms", time.Millisecond},
	} {
		if v, ok := a.Get(of.key); ok {
			if f, ok := v.Float(); ok && f > 0 && f*float64(of.unit) < float64(24*time.Hour) {
				return int64(f * float64(of.unit)), true
			}
		}
	}
	return 0, false
}
