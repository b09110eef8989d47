package knownrecordings

import (
	"context"
	"net/url"

	"tapedeck/internal/apiclient"
	"tapedeck/query"
	"tapedeck/query/session/transcript"
)

// SessionsAtOnce is the maximum number of sessions in one page of the server.
const SessionsAtOnce = 500

// Transcript reads all messages of a session.
func Transcript(ctx context.Context, cl *apiclient.Client, session string) ([]transcript.Message, error) {
	all := []transcript.Message{}
	q := url.Values{}
	for {
		var page query.Page[transcript.Message]
		if err := cl.Get(ctx, apiclient.SessionPath(session, "transcript"), q, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == nil {
			return all, nil
		}
		q.Set("cursor", *page.Next)
	}
}
