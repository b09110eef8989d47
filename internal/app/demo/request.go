package demo

import "encoding/json"

// Request returns the request for the scripted run. The thread becomes the session of its
// recording.
func Request(thread string) []byte {
	data, err := json.Marshal(map[string]any{
		"type": "run", "id": "1", "message": question, "agent": "react", "thread_id": thread,
		"model": "anthropic/" + agentModel,
	})
	if err != nil {
		panic(err) // it contains only strings
	}
	return data
}
