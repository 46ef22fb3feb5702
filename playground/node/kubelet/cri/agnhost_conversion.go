//go:build !js || cel

package cri

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

func init() {
	agnhostPrograms["crd-conversion-webhook"] = func(p *Program, options map[string]string) {
		p.listens(options, "port", "443")
		p.Certificate, p.Admission = options["tls-cert-file"], agnhostConversion{}
	}
}

// agnhostConversion is "agnhost crd-conversion-webhook": hostPort of stable.example.com/v1 is host and port of v2.
// Upstream: test/images/agnhost/crd-conversion-webhook.
type agnhostConversion struct{}

func (agnhostConversion) delay(string, string) time.Duration { return 0 }

func (agnhostConversion) review(path, body string) (int, string) {
	if path != "/crdconvert" {
		return 404, "404 page not found\n"
	}
	return convertReview(body, func(object map[string]any, from, to string) string {
		const v1, v2 = "stable.example.com/v1", "stable.example.com/v2"
		switch {
		case from == to:
			return "conversion from a version to itself should not call the webhook: " + to
		case from != v1 && from != v2:
			return fmt.Sprintf("unexpected conversion version %q", from)
		case to != v1 && to != v2:
			return fmt.Sprintf("unexpected conversion version %q", to)
		case to == v2:
			hostPort, ok := object["hostPort"].(string)
			if !ok {
				return ""
			}
			host, port, ok := strings.Cut(hostPort, ":")
			if !ok || strings.Contains(port, ":") {
				return fmt.Sprintf("invalid hostPort value `%v`", hostPort)
			}
			delete(object, "hostPort")
			object["host"], object["port"] = host, port
		default:
			host, hasHost := object["host"].(string)
			port, hasPort := object["port"].(string)
			if hasHost || hasPort {
				object["hostPort"] = host + ":" + port
				delete(object, "host")
				delete(object, "port")
			}
		}
		return ""
	})
}

// convertReview answers a ConversionReview: convert changes an object, and says what is wrong with it.
// Upstream: apiextensions/v1, ConversionReview.
func convertReview(body string, convert func(object map[string]any, from, to string) (wrong string)) (int, string) {
	var in struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Request    *struct {
			UID               string           `json:"uid"`
			DesiredAPIVersion string           `json:"desiredAPIVersion"`
			Objects           []map[string]any `json:"objects"`
		} `json:"request"`
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&in); err != nil || in.Kind != "ConversionReview" || in.Request == nil {
		return 400, "contents are no ConversionReview"
	}
	response := map[string]any{"uid": in.Request.UID, "convertedObjects": in.Request.Objects, "result": map[string]string{"status": "Success"}}
	for _, object := range in.Request.Objects {
		from, _ := object["apiVersion"].(string)
		if wrong := convert(object, from, in.Request.DesiredAPIVersion); wrong != "" {
			response["convertedObjects"], response["result"] = nil, map[string]string{"status": "Failure", "message": wrong}
			break
		}
		object["apiVersion"] = in.Request.DesiredAPIVersion
	}
	out, _ := json.Marshal(map[string]any{"apiVersion": in.APIVersion, "kind": in.Kind, "response": response}) // it came from JSON
	return 200, string(out)
}
