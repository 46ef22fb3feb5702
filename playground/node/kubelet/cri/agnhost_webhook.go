//go:build !js || cel

package cri

import (
	"encoding/json"
	"strings"
	"time"
)

func init() {
	agnhostPrograms["webhook"] = func(p *Program, options map[string]string) {
		p.listens(options, "port", "443")
		p.Certificate, p.Admission = options["tls-cert-file"], agnhostWebhook{sidecarImage: options["sidecar-image"]}
	}
}

// agnhostWebhook is "agnhost webhook". It goes by names, labels and data that upstream's end-to-end tests give to what they send.
// Upstream: test/images/agnhost/webhook.
type agnhostWebhook struct{ sidecarImage string }

// agnhostReview is what its paths look at in a review.
type agnhostReview struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    *struct {
		UID         string         `json:"uid"`
		Name        string         `json:"name"`
		SubResource string         `json:"subResource"`
		Operation   string         `json:"operation"`
		Object      *agnhostObject `json:"object"`
		OldObject   *agnhostObject `json:"oldObject"`
	} `json:"request"`
}

type agnhostObject struct {
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Data json.RawMessage `json:"data"` // of a ConfigMap, or a custom object
	Spec struct {
		Containers     []reviewedContainer `json:"containers"`
		InitContainers []reviewedContainer `json:"initContainers"`
	} `json:"spec"`
	Stdin     bool   `json:"stdin"` // of PodAttachOptions
	Container string `json:"container"`
}

func (a agnhostWebhook) delay(path, body string) time.Duration {
	var in agnhostReview
	switch {
	case path == "/always-allow-delay-5s":
		return 5 * time.Second
	case path == "/pods" && json.Unmarshal([]byte(body), &in) == nil && in.Request != nil && in.Request.Object != nil &&
		in.Request.Object.Metadata.Labels["webhook-e2e-test"] == "wait-forever":
		return 24 * time.Hour
	}
	return 0
}

// data are the entries that are texts.
func (o *agnhostObject) data() map[string]string {
	out := map[string]string{}
	var all map[string]json.RawMessage
	if json.Unmarshal(o.Data, &all) != nil {
		return out
	}
	for key, raw := range all { // order: each fills its own key
		var text string
		if json.Unmarshal(raw, &text) == nil {
			out[key] = text
		}
	}
	return out
}

func (a agnhostWebhook) review(path, body string) (int, string) {
	var in agnhostReview
	if err := json.Unmarshal([]byte(body), &in); err != nil || in.Kind != "AdmissionReview" || in.Request == nil {
		return 400, "contents are no AdmissionReview"
	}
	subject := in.Request.Object
	if in.Request.Operation == "DELETE" {
		subject = in.Request.OldObject
	}
	if subject == nil {
		subject = &agnhostObject{}
	}
	status := map[string]string{}
	patch := ""
	allowed := true
	deny := func(field, text string) {
		allowed = false
		status[field] = text
	}
	switch path {
	case "/always-allow-delay-5s":
		status["message"] = "this webhook allows all requests"
	case "/always-deny":
		deny("message", "this webhook denies all requests")
	case "/add-label":
		switch value, has := subject.Metadata.Labels["added-label"]; {
		case len(subject.Metadata.Labels) == 0:
			patch = `[{"op":"add","path":"/metadata/labels","value":{"added-label":"yes"}}]`
		case !has:
			patch = `[{"op":"add","path":"/metadata/labels/added-label","value":"yes"}]`
		case value != "yes":
			patch = `[{"op":"replace","path":"/metadata/labels/added-label","value":"yes"}]`
		}
	case "/pods":
		var why []string
		switch subject.Metadata.Labels["webhook-e2e-test"] {
		case "webhook-disallow":
			why = append(why, "the pod contains unwanted label;")
		case "wait-forever":
			why = append(why, "the pod response should not be sent;")
		}
		for _, c := range subject.Spec.Containers {
			if strings.Contains(c.Name, "webhook-disallow") {
				why = append(why, "the pod contains unwanted container name;")
			}
		}
		if why != nil {
			deny("message", strings.Join(why, " "))
		}
	case "/pods/attach":
		if in.Request.Name == "to-be-attached-pod" && subject.Stdin && subject.Container == "container1" {
			deny("message", "attaching to pod 'to-be-attached-pod' is not allowed")
		}
	case "/mutating-pods":
		if subject.Metadata.Name == "webhook-to-be-mutated" && !hasContainer(subject.Spec.InitContainers, "webhook-added-init-container") {
			patch = `[{"op":"add","path":"/spec/initContainers","value":[{"image":"webhook-added-image","name":"webhook-added-init-container","resources":{}}]}]`
		}
	case "/mutating-pods-sidecar":
		if a.sidecarImage == "" {
			deny("message", "No image specified by the sidecar-image parameter")
		} else if !hasContainer(subject.Spec.Containers, "webhook-added-sidecar") {
			image, _ := json.Marshal(a.sidecarImage) // a text
			patch = `[{"op":"add","path":"/spec/containers/-","value":{"image":` + string(image) + `,"name":"webhook-added-sidecar","resources":{}}}]`
		}
	case "/configmaps", "/custom-resource":
		what, unwanted := "the configmap", "unwanted key and value"
		if path == "/custom-resource" {
			what, unwanted = "the custom resource", "unwanted data"
		}
		switch deletes := in.Request.Operation == "DELETE"; subject.data()["webhook-e2e-test"] {
		case "webhook-disallow":
			if !deletes {
				deny("reason", what+" contains "+unwanted)
			}
		case "webhook-nondeletable":
			if deletes {
				deny("reason", what+" cannot be deleted because it contains unwanted key and value")
			}
		}
	case "/mutating-configmaps", "/mutating-custom-resource":
		data := subject.data()
		if data["mutation-start"] == "yes" {
			patch = `[{"op":"add","path":"/data/mutation-stage-1","value":"yes"}]`
		}
		if data["mutation-stage-1"] == "yes" {
			patch = `[{"op":"add","path":"/data/mutation-stage-2","value":"yes"}]`
		}
	case "/crd":
		if subject.Metadata.Labels["webhook-e2e-test"] == "webhook-disallow" {
			deny("message", "the crd contains unwanted label")
		}
	default:
		return 404, "404 page not found\n"
	}
	response := map[string]any{"uid": in.Request.UID, "allowed": allowed}
	if len(status) > 0 {
		response["status"] = status
	}
	if patch != "" {
		response["patch"], response["patchType"] = []byte(patch), "JSONPatch"
	}
	out, _ := json.Marshal(map[string]any{"apiVersion": in.APIVersion, "kind": in.Kind, "response": response}) // texts
	return 200, string(out)
}

func hasContainer(all []reviewedContainer, name string) bool {
	for _, c := range all {
		if c.Name == name {
			return true
		}
	}
	return false
}
