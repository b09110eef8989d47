package prices

import (
	"regexp"
	"strings"
)

// bedrockID matches an id of Amazon Bedrock: an optional region of an inference profile, then a
// maker and a model, such as us.anthropic.claude-sonnet-4-5-20250929-v1:0.
var bedrockID = regexp.MustCompile(`^((us|us-gov|eu|apac|au|jp|in|ca|sa|global)\.)?` +
	`(anthropic|amazon|openai|meta|mistral|cohere|ai21|deepseek|qwen|moonshotai|minimax|writer|zai)\.[a-z]`)

// charged returns the entry by which calls of a model are charged: the entry of the service that
// the model's id names, otherwise the entry of the stated provider.
func (t *Table) charged(provider, model string) (e entry) {
	name := strings.ToLower(strings.TrimSpace(model))
	stated := t.provider(provider, name)
	if p, m := t.gateway(stated, name); m != nil && name != "" {
		return entry{p, m, provider != "" && p != stated, nil}
	}
	e.provider, e.model, e.err = t.entry(provider, model)
	return e
}

// gateway returns the entry of a model whose id names the service that ran it. It applies if no
// provider is stated or if the stated provider is a maker of models. Dialects state the maker as a
// default: a file of Claude Code states "anthropic" even if its calls went to a gateway. m is nil
// if the id names no service, or a service that the table lacks.
//
//   - An id of Bedrock belongs to aws.
//   - maker/model belongs to openrouter, otherwise to the maker; service/model belongs to the
//     service.
//   - A name that belongs to another maker (glm-4.6 with the stated provider anthropic) is priced
//     as that maker's.
func (t *Table) gateway(stated *Provider, name string) (p *Provider, m *Model) {
	if stated != nil && stated.ModelMatch == nil {
		return nil, nil // the provider serves models of other makers under its own ids
	}
	if bedrockID.MatchString(name) {
		return t.found("aws", name)
	}
	if segment, rest, ok := strings.Cut(name, "/"); ok {
		if stated != nil && t.model(stated, name) != nil {
			return nil, nil
		}
		if p, m = t.found("openrouter", name); m != nil {
			return p, m
		}
		if of := t.provider(segment, ""); of != nil {
			if m = t.model(of, rest); m != nil {
				return of, m
			}
		}
		return t.gateway(nil, rest)
	}
	if stated == nil || stated.ModelMatch.Matches(name) || t.model(stated, name) != nil {
		return nil, nil
	}
	if p = t.provider("", name); p == nil {
		return nil, nil
	}
	return p, t.model(p, name)
}

func (t *Table) found(provider, name string) (*Provider, *Model) {
	p := t.provider(provider, name)
	if p == nil {
		return nil, nil
	}
	return p, t.model(p, name)
}
