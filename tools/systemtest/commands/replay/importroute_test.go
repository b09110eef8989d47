package replay

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"

	"tapedeck/internal/app/command/tapeimport"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/replay/tapefile"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// importTape posts a body to /v1/import.
func importTape(t *testing.T, s *commandtest.Instance, media string, body []byte) (int, tapeimport.Answer, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/v1/import", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", media)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer tapeimport.Answer
	if resp.StatusCode == http.StatusOK {
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatal(err)
		}
	}
	return resp.StatusCode, answer, string(text)
}

// A tape that is posted comes back as it was; one that is cut off as far as it
// reaches.
func TestImportRoute(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	id := "posted tape " + rand.Text()
	commandtest.Post(t, s, id, "application/x-ndjson", []byte(commandtest.AwkwardLines))
	path := "/v1/sessions/" + url.PathEscape(id)
	ended := func() bool {
		status, body, _ := s.Get(t, path)
		return status == http.StatusOK && !bytes.Contains(body, []byte(`"end_reason":""`))
	}
	bounded.Until(t, "the end of what is posted", ended)
	want := commandtest.Views(t, s, id)
	_, tape, _ := s.Get(t, path+"/tape")
	if status, body, _ := s.Delete(t, path); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, body)
	}

	status, answer, body := importTape(t, s, tapefile.MediaType, tape)
	if status != http.StatusOK || !answer.Complete || len(answer.Items) != 1 || answer.Items[0].ID != id || answer.Items[0].Frames == 0 {
		t.Fatalf("%d %s", status, body)
	}
	bounded.Until(t, "the end of what is imported", ended)
	commandtest.SameViews(t, "imported", commandtest.Views(t, s, id), want)

	if status, answer, body = importTape(t, s, tapefile.MediaType, tape[:len(tape)/2]); status == http.StatusOK && (answer.Complete || answer.Reason == "") {
		t.Errorf("half a tape: %d %s", status, body)
	}
	for media, sent := range map[string]string{tapefile.MediaType: "no tape", "text/plain": string(tape)} {
		if status, _, body := importTape(t, s, media, []byte(sent)); status != http.StatusBadRequest && status != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d %s", media, status, body)
		}
	}
}
