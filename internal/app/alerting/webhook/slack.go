package webhook

import (
	"fmt"
	"strings"
	"time"

	"tapedeck/internal/app/alerting/notify"
	"tapedeck/query/alerts/evaluate"
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
		fmt.Fprintf(&b, ":warning: Alert *%s* began: ", plain(a.Rule, notify.MostName))
	default:
		fmt.Fprintf(&b, ":white_check_mark: Alert *%s* ended after %s: ", plain(a.Rule, notify.MostName), a.Ended.Sub(a.Began).Round(time.Second))
	}
	fmt.Fprintf(&b, "%s\nsession %s, tenant %s, began %s", plain(a.Detail, notify.MostDetail), sessionLink(a.Session, page), plain(a.Tenant, notify.MostName),
		a.Began.UTC().Format("2006-01-02 15:04:05 UTC"))
	return message{Text: b.String()}
}

// sessionLink returns the id of a session as a link to its page, or the id alone.
func sessionLink(session, page string) string {
	id := plain(session, notify.MostName)
	to := notify.SessionPage(page, session)
	if to == "" {
		return id
	}
	return "<" + plain(strings.ReplaceAll(to, "|", "%7C"), len(to)) + "|" + strings.ReplaceAll(id, "|", "¦") + ">"
}

// control are the characters with a meaning in Slack's texts: of links, of mentions such as <!channel>, and of references.
var control = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", " ", "\n", " ")

// plain returns a text that Slack shows as it is, without links and mentions, on one line and clipped to a number of bytes.
func plain(s string, most int) string {
	return control.Replace(notify.Clip(s, most))
}
