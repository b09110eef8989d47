package sessionotlptest

import "go.opentelemetry.io/collector/pdata/ptrace"

// The tables below state what the semantic conventions for generative AI, version 0.1.0, define for the attributes and
// spans that tapedeck writes. Source: github.com/open-telemetry/semantic-conventions-genai, there CHANGELOG.md and
// model/gen-ai/spans.yaml of the tag v0.1.0; docs/gen-ai/client-inference.md of commit 024a4f9 for the span of a call of a
// model, with the types and well-known values of its attributes; docs/gen-ai/non-normative/migration.md of commit 32c328e
// for the span of an agent; model/gen-ai/registry.yaml for the types of the others; model/gen-ai/*.json for messages. The
// rules for error.type and the status are those of docs/general/recording-errors.md in
// github.com/open-telemetry/semantic-conventions, of which version 0.1.0 depends on 1.45.0.

// valueType is a type of an attribute in the conventions.
type valueType string

const (
	aText     valueType = "string"
	aList     valueType = "string[]"
	anInteger valueType = "int"
	aNumber   valueType = "double"
	aBoolean  valueType = "boolean"
	anyValue  valueType = "any" // on spans also as JSON text
)

// definition is an attribute of the registry.
type definition struct {
	Type   valueType
	Values []string // the well-known ones; one that applies must be used
}

var registry = map[string]definition{
	"gen_ai.agent.name":                     {Type: aText},
	"gen_ai.conversation.id":                {Type: aText},
	"gen_ai.input.messages":                 {Type: anyValue},
	"gen_ai.operation.name":                 {aText, operationNames},
	"gen_ai.output.messages":                {Type: anyValue},
	"gen_ai.provider.name":                  {aText, providerNames},
	"gen_ai.request.model":                  {Type: aText},
	"gen_ai.request.stream":                 {Type: aBoolean},
	"gen_ai.response.finish_reasons":        {Type: aList},
	"gen_ai.response.id":                    {Type: aText},
	"gen_ai.response.model":                 {Type: aText},
	"gen_ai.response.time_to_first_chunk":   {Type: aNumber}, // seconds
	"gen_ai.system_instructions":            {Type: anyValue},
	"gen_ai.tool.call.arguments":            {Type: anyValue},
	"gen_ai.tool.call.id":                   {Type: aText},
	"gen_ai.tool.call.result":               {Type: anyValue},
	"gen_ai.tool.name":                      {Type: aText},
	"gen_ai.usage.cache_read.input_tokens":  {Type: anInteger},
	"gen_ai.usage.cache_write.input_tokens": {Type: anInteger},
	"gen_ai.usage.input_tokens":             {Type: anInteger},
	"gen_ai.usage.output_tokens":            {Type: anInteger},
	"gen_ai.usage.reasoning.output_tokens":  {Type: anInteger},
	"error.type":                            {Type: aText},
}

var operationNames = []string{"chat", "create_agent", "create_memory", "create_memory_store", "delete_memory", "delete_memory_store",
	"embeddings", "execute_tool", "fetch_response", "generate_content", "invoke_agent", "invoke_workflow", "plan", "retrieval",
	"search_memory", "text_completion", "update_memory", "upsert_memory"}

var providerNames = []string{"anthropic", "aws.bedrock", "azure.ai.inference", "azure.ai.openai", "cohere", "deepseek", "gcp.gemini",
	"gcp.gen_ai", "gcp.vertex_ai", "groq", "ibm.watsonx.ai", "mistral_ai", "moonshot_ai", "openai", "perplexity", "x_ai"}

// spanDefinition is a span of the conventions.
type spanDefinition struct {
	Type     string // in the conventions
	Kind     ptrace.SpanKind
	Object   string   // the attribute that follows the operation in the span's name
	Required []string // attributes, besides the operation
	Has      []string // other attributes
	Added    []string // attributes of the registry that the conventions do not list for this span, and tapedeck writes
}

// spanDefinitions has the spans by their operation.
var spanDefinitions = map[string]spanDefinition{
	"invoke_agent": {
		Type: "gen_ai.invoke_agent.internal", Kind: ptrace.SpanKindInternal, Object: "gen_ai.agent.name",
		Has: []string{"error.type", "gen_ai.agent.name", "gen_ai.conversation.id", "gen_ai.input.messages", "gen_ai.output.messages",
			"gen_ai.request.model", "gen_ai.response.finish_reasons", "gen_ai.system_instructions", "gen_ai.usage.input_tokens",
			"gen_ai.usage.output_tokens"},
		// Parts of tokens that the source states for a run only.
		Added: []string{"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.reasoning.output_tokens"},
	},
	"chat": {
		Type: "gen_ai.client.inference", Kind: ptrace.SpanKindClient, Object: "gen_ai.request.model", Required: []string{"gen_ai.provider.name"},
		Has: []string{"error.type", "gen_ai.conversation.id", "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.request.model",
			"gen_ai.request.stream", "gen_ai.response.finish_reasons", "gen_ai.response.id", "gen_ai.response.model",
			"gen_ai.response.time_to_first_chunk", "gen_ai.system_instructions", "gen_ai.usage.cache_read.input_tokens",
			"gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
			"gen_ai.usage.reasoning.output_tokens"},
		// A call whose agent's span is not recorded names its agent as well.
		Added: []string{"gen_ai.agent.name"},
	},
	"execute_tool": {
		Type: "gen_ai.execute_tool.internal", Kind: ptrace.SpanKindInternal, Object: "gen_ai.tool.name", Required: []string{"gen_ai.tool.name"},
		Has: []string{"error.type", "gen_ai.agent.name", "gen_ai.conversation.id", "gen_ai.tool.call.arguments", "gen_ai.tool.call.id",
			"gen_ai.tool.call.result"},
		// Tokens that the source states for a tool, such as a tool that calls a model by itself.
		Added: []string{"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.input_tokens",
			"gen_ai.usage.output_tokens", "gen_ai.usage.reasoning.output_tokens"},
	},
}

// Roles and parts of messages, with the fields that each part has to have.
var (
	roles = []string{"system", "user", "assistant", "tool"}
	parts = map[string][]string{"text": {"content"}, "reasoning": {"content"}, "tool_call": {"name"}}
)
