package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client"
)

// With -v=6 and more, kubectl says what it sends and what is answered, in klog's form:
//
//	-v=6  a line for each answer: method, URL, status, milliseconds
//	-v=7  a line for each request, with its headers, and one for its answer
//	-v=8  and the headers and bodies of answers, and the bodies of requests, 1024 characters of each
//	-v=9  10240 characters of each; from 10 on, all of them
//
// Simplified: there are no requests for discovery and OpenAPI, because kubectl knows the kinds here; few headers; no curl
// command with 9. Upstream: client-go transport/round_trippers.go, debuggingRoundTripper; cli-runtime pkg/resource/helper.go
// and client-go rest/request.go for the bodies.
const (
	showTiming  = 6
	showHeaders = 7
	showBodies  = 8
)

// server is where the API server is, as URLs show it.
const server = "https://10.0.0.1:6443"

// verbosity is what -v says.
func (s *session) verbosity() int { return int(s.flags.number("v", 0)) }

// told sends a request and says so.
func (s *session) told(r *client.Request) (client.Result, error) {
	v := s.verbosity()
	method, address := r.Method(), server+r.Path()
	if q := r.Query(); q != "" {
		address += "?" + q
	}
	if v >= showBodies {
		s.klog("helper.go:113", "Request Body", "body", truncated(requestBody(r), v))
	}
	if v >= showHeaders {
		s.klog("round_trippers.go:527", "Request", "verb", method, "url", address, "headers", requestHeaders(r))
	}
	status := ""
	r.Answered = func(code int32) { status = fmt.Sprintf("%d %s", code, statusText(code)) }
	began := s.p.Now()
	result, err := s.transport.Do(s.p, r)
	took := strconv.FormatInt(int64((s.p.Now()-began)/time.Millisecond), 10)
	switch {
	case v >= showBodies:
		headers := ""
		if status != "" {
			headers = "Cache-Control: no-cache, private\nContent-Type: application/json\n"
		}
		s.klog("round_trippers.go:632", "Response", "status", status, "headers", headers, "milliseconds", number(took))
		s.klog("helper.go:113", "Response Body", "body", truncated(responseBody(result, err), v))
	case v >= showHeaders:
		s.klog("round_trippers.go:632", "Response", "status", status, "milliseconds", number(took))
	default:
		s.klog("round_trippers.go:632", "Response", "verb", method, "url", address, "status", status, "milliseconds", number(took))
	}
	return result, err
}

// number is a value that klog writes without quotation marks.
type number string

// klog writes a line as klog does: a value of several lines stands between < and >, and is indented.
// Upstream: klog/v2 internal/serialize/keyvalues.go, and textlogger.
func (s *session) klog(place, message string, kv ...any) {
	var b strings.Builder
	fmt.Fprintf(&b, "I%s %7d %s] %q", s.p.Time().Format("0102 15:04:05.000000"), 1, place, message)
	for i := 0; i < len(kv); i += 2 {
		fmt.Fprintf(&b, " %s=", kv[i])
		switch value := kv[i+1].(type) {
		case number:
			b.WriteString(string(value))
		case string:
			if !strings.Contains(value, "\n") {
				fmt.Fprintf(&b, "%q", value)
				continue
			}
			b.WriteString("<\n")
			for _, line := range strings.Split(strings.TrimSuffix(value, "\n"), "\n") {
				b.WriteString("\t" + line + "\n")
			}
			b.WriteString(" >")
		}
	}
	s.verbose.WriteString(b.String() + "\n")
	s.p.Logger().V(s.verbosity()).Info(b.String()) // the page reads off the trace what is printed
}

// requestHeaders are those that tell one request from another.
func requestHeaders(r *client.Request) string {
	accept := "application/json"
	if r.Table {
		accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
	}
	headers := "Accept: " + accept + "\n"
	switch {
	case r.Verb == client.Patch:
		headers += "Content-Type: " + string(r.PatchType) + "\n"
	case r.Verb == client.Create, r.Verb == client.Update, r.Verb == client.Delete:
		headers += "Content-Type: application/json\n"
	}
	return headers + "User-Agent: kubectl/" + api.Version + " (linux/amd64)\n"
}

func requestBody(r *client.Request) string {
	switch {
	case r.Verb == client.Patch:
		return string(r.PatchText())
	case r.Body != nil:
		return string(r.Body)
	case r.Object != nil:
		return asJSON(r.Object)
	case r.Verb == client.Delete:
		return asJSON(r.Delete)
	}
	return ""
}

func responseBody(result client.Result, err error) string {
	var status *apierrors.StatusError
	switch text, isText := result.(*client.Text); {
	case errors.As(err, &status):
		return asJSON(&status.ErrStatus) + "\n"
	case isText:
		return text.Body
	case err == nil && result != nil:
		return asJSON(result) + "\n"
	}
	return ""
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// statusText is what HTTP calls a code. Upstream: net/http, StatusText.
func statusText(code int32) string {
	switch code {
	case 200:
		return "OK"
	case 201:
		return "Created"
	case 400:
		return "Bad Request"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 409:
		return "Conflict"
	case 410:
		return "Gone"
	case 415:
		return "Unsupported Media Type"
	case 422:
		return "Unprocessable Entity"
	case 429:
		return "Too Many Requests"
	case 503:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	}
	return "Internal Server Error"
}

// truncated is as much of a body as is shown. Upstream: client-go rest/request.go, truncateBody.
func truncated(body string, v int) string {
	most := 0
	switch {
	case v >= 10:
		return body
	case v == 9:
		most = 10240
	default:
		most = 1024
	}
	if len(body) <= most {
		return body
	}
	return body[:most] + fmt.Sprintf(" [truncated %d chars]", len(body)-most)
}
