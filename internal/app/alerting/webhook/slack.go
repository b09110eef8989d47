package webhook

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"tapedeck/query/alerts/evaluate"
)

// Bounds of a message, bytes.
const (
	mostDetail = 2000
	mostName   = 100
)

// message is the body of a request to an incoming webhook of Slack.
type message struct {
	Text        string `json:"text"` // mrkdwn
	UnfurlLinks bool   `json:"unfurl_links"`
}

// messageOf returns the message about an alert as it is. page is the address of the server's page; "" for no link.
func messageOf(a *evaluate.Alert, page string) message {
	var b strings.Builder
	switch {
	case a.Ended == nil:
		fmt.Fprintf(&b, ":warning: Alert *%s* began: ", plain(a.Rule, mostName))
	default:
		fmt.Fprintf(&b, ":white_check_mark: Alert *%s* ended after %s: ", plain(a.Rule, mostName), a.Ended.Sub(a.Began).Round(time.Second))
	}
	fmt.Fprintf(&b, "%s\nsession %s, tenant %s, began %s", plain(a.Detail, mostDetail), sessionLink(a.Session, page), plain(a.Tenant, mostName),
		a.Began.UTC().Format("2006-01-02 15:04:05 UTC"))
	return message{Text: b.String()}
}

// sessionLink returns the id of a session as a link to its page, or the id alone.
func sessionLink(session, page string) string {
	id := plain(session, mostName)
	if page == "" {
		return id
	}
	to := strings.TrimSuffix(page, "/") + "/sessions/" + url.PathEscape(session)
	return "<" + plain(strings.ReplaceAll(to, "|", "%7C"), len(to)) + "|" + strings.ReplaceAll(id, "|", "¦") + ">"
}

// control are the characters with a meaning in Slack's texts: of links, of mentions such as <!channel>, and of references.
var control = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", " ", "\n", " ")

// plain returns a text that Slack shows as it is, without links and mentions, on one line and clipped to a number of bytes.
func plain(s string, most int) string {
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return control.Replace(strings.ToValidUTF8(s, "\uFFFD"))
}
