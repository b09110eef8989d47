package agent

import "testing"

func TestCapital(t *testing.T) {
	agent := Agent{BaseURL: emulate(t, "http", "testdata/capital.sse") + "/v1"}
	got, err := agent.Ask(t.Context(), "What is the capital of Switzerland?")
	if err != nil || got != "Berne, the federal city." {
		t.Errorf("the agent said %q, %v", got, err)
	}
	if _, err := agent.Ask(t.Context(), "And of France?"); err == nil {
		t.Error("a second question was not recorded, and the agent did not notice")
	}
}
