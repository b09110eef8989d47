// Package agent is a small agent, to show how one is tested.
package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Agent asks a model that is served as OpenAI's are.
type Agent struct {
	BaseURL string
}

// Ask returns the model's answer to a question.
func (a Agent) Ask(ctx context.Context, question string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": "demo-1", "stream": true,
		"messages": []map[string]string{{"role": "user", "content": question}},
	})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the model's server answered %s", res.Status)
	}
	answer := ""
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: {")
		if !ok {
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte("{"+data), &chunk); err != nil {
			return "", err
		}
		for _, c := range chunk.Choices {
			answer += c.Delta.Content
		}
	}
	return answer, lines.Err()
}
