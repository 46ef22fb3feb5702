package admission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api/metav1"
)

// Decode reads what a webhook answered: a review of a group and version ("admission.k8s.io/v1"), which is v1 or v1beta1. What it doesn't say of
// its version and kind are those that were asked for.
//
// Simplified: upstream reads YAML as well. What is no JSON is a text here, as a line of plain text or HTML is in YAML.
// Upstream: client-go/rest/request.go, Result.Into, with the codec of apiserver/pkg/util/webhook/client.go.
func Decode(answer []byte, version, kind string, into any) error {
	if len(answer) == 0 {
		return errors.New("0-length response with status code: 200 and content type: application/json")
	}
	if text := bytes.TrimLeft(answer, " \t\r\n"); !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("[")) {
		answer, _ = json.Marshal(string(answer)) // a text
	}
	// The type is upstream's, with its tags: encoding/json names it. Upstream: runtime/serializer/json/meta.go, SimpleMetaFactory.Interpret.
	var meta struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(answer, &meta); err != nil {
		return fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	if meta.APIVersion == "" {
		meta.APIVersion = version
	}
	if meta.Kind == "" {
		meta.Kind = kind
	}
	if meta.APIVersion != version || meta.Kind != kind {
		group, short, _ := strings.Cut(version, "/")
		if answered, ok := strings.CutPrefix(meta.APIVersion, group+"/"); ok && meta.Kind == kind && (answered == "v1" || answered == "v1beta1") {
			return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", answered, kind, short, kind)
		}
		return fmt.Errorf("no kind %q is registered for version %q in scheme \"pkg/runtime/scheme.go:111\"", meta.Kind, meta.APIVersion)
	}
	return json.Unmarshal(answer, into)
}

// statusError is what a client makes of a code of HTTP; nil of one that is no failure. Answers are taken for plain text unless they
// are JSON. Simplified: some codes that no container answers have the general words.
// Upstream: client-go/rest/request.go, transformResponse, and apimachinery/pkg/api/errors/errors.go, NewGenericServerResponse.
func statusError(code int, answer []byte) error {
	if code >= 200 && code <= 206 {
		return nil
	}
	var status metav1.Status
	if json.Unmarshal(answer, &status) == nil && status.Kind == "Status" && status.APIVersion == "v1" && status.Message != "" {
		return errors.New(status.Message)
	}
	text := strings.TrimSpace(string(answer))
	if strings.HasPrefix(text, "{") {
		text = "unknown"
	}
	switch {
	case code == 400:
		text = "the server rejected our request for an unknown reason"
	case code == 403 || code == 415:
	case code == 404:
		text = "the server could not find the requested resource"
	case code == 405:
		text = "the server does not allow this method on the requested resource"
	case code == 429:
		text = "the server has received too many requests and has asked us to try again later"
	case code == 503:
		text = "the server is currently unable to handle the request"
	case code == 504:
		text = "the server was unable to return a response in the time allotted, but may still be processing the request"
	case code >= 500:
		text = fmt.Sprintf("an error on the server (%q) has prevented the request from succeeding", text)
	default:
		text = fmt.Sprintf("the server responded with the status code %d but did not return more information", code)
	}
	return errors.New(text)
}
