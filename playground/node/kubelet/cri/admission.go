package cri

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// admissionRules are what kubewalk.dev/app does as a webhook: it answers each POST of an AdmissionReview. What it has nothing to
// say about it allows. Upstream: k8s.io/api/admission/v1, types.go.
type admissionRules struct {
	requiredLabels []string
	deniedImages   []string    // patterns, in which * is any text
	defaultLabels  [][2]string // key, value
	containers     [][2]string // name, image: added to Pods
}

func (r *admissionRules) requireLabels(value string) error {
	r.requiredLabels = append(r.requiredLabels, strings.Split(value, ",")...)
	return nil
}

func (r *admissionRules) denyImages(value string) error {
	r.deniedImages = append(r.deniedImages, strings.Split(value, ",")...)
	return nil
}

func (r *admissionRules) defaultLabelsTo(value string) error {
	return pairs(&r.defaultLabels, value, "write a label and its value: team=unknown")
}

func (r *admissionRules) addContainers(value string) error {
	return pairs(&r.containers, value, "write a name and an image: proxy=envoyproxy/envoy:v1.34")
}

func pairs(list *[][2]string, text, cure string) error {
	for one := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(one, "=")
		if !ok || key == "" || value == "" {
			return errors.New(cure)
		}
		*list = append(*list, [2]string{key, value})
	}
	return nil
}

// reviewed is what the rules look at in a review.
type reviewed struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    *struct {
		UID  string `json:"uid"`
		Kind struct {
			Kind string `json:"kind"`
		} `json:"kind"`
		Object *struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec struct {
				Containers []reviewedContainer `json:"containers"`
				Template   struct {
					Spec struct {
						Containers []reviewedContainer `json:"containers"`
					} `json:"spec"`
				} `json:"template"`
			} `json:"spec"`
		} `json:"object"`
	} `json:"request"`
}

type reviewedContainer struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

type jsonPatch struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// review answers a review, whatever its path.
func (r *admissionRules) review(_, body string) (int, string) {
	var in reviewed
	if err := json.Unmarshal([]byte(body), &in); err != nil || in.Kind != "AdmissionReview" || in.Request == nil {
		return 400, "contents are no AdmissionReview"
	}
	response := map[string]any{"uid": in.Request.UID, "allowed": true}
	if why := r.refusal(&in); why != "" {
		response["allowed"] = false
		response["status"] = map[string]any{"code": 403, "reason": "Forbidden", "message": why}
	} else if patches := r.patches(&in); len(patches) > 0 {
		text, _ := json.Marshal(patches) // strings and maps of strings
		response["patch"], response["patchType"] = text, "JSONPatch"
	}
	out, _ := json.Marshal(map[string]any{"apiVersion": in.APIVersion, "kind": in.Kind, "response": response})
	return 200, string(out)
}

func (*admissionRules) delay(string, string) time.Duration { return 0 }

// refusal says why an object is not allowed, "" when it is.
func (r *admissionRules) refusal(in *reviewed) string {
	o := in.Request.Object
	if o == nil {
		return ""
	}
	for _, label := range r.requiredLabels {
		if _, ok := o.Metadata.Labels[label]; !ok {
			return fmt.Sprintf("label %q is required", label)
		}
	}
	for _, c := range append(o.Spec.Containers, o.Spec.Template.Spec.Containers...) {
		for _, pattern := range r.deniedImages {
			if like(pattern, c.Image) || !tagged(c.Image) && like(pattern, c.Image+":latest") {
				return fmt.Sprintf("image %q is not allowed: no image may match %q", c.Image, pattern)
			}
		}
	}
	return ""
}

// tagged tells whether an image's name says which version it is; if not, latest is pulled.
func tagged(image string) bool {
	return strings.Contains(image[strings.LastIndexByte(image, '/')+1:], ":") || strings.Contains(image, "@")
}

// patches are what is to be changed in an object.
func (r *admissionRules) patches(in *reviewed) (out []jsonPatch) {
	o := in.Request.Object
	if o == nil {
		return nil
	}
	for _, label := range r.defaultLabels {
		if _, ok := o.Metadata.Labels[label[0]]; ok {
			continue
		}
		if o.Metadata.Labels == nil {
			o.Metadata.Labels = map[string]string{}
			out = append(out, jsonPatch{"add", "/metadata/labels", map[string]string{}})
		}
		out = append(out, jsonPatch{"add", "/metadata/labels/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(label[0]), label[1]})
	}
	for _, c := range r.containers {
		there := slices.ContainsFunc(o.Spec.Containers, func(one reviewedContainer) bool { return one.Name == c[0] })
		if in.Request.Kind.Kind == "Pod" && !there {
			out = append(out, jsonPatch{"add", "/spec/containers/-", map[string]string{"name": c[0], "image": c[1]}})
		}
	}
	return out
}

// like matches a pattern in which * is any text. Each part between stars is taken where it is found first, which is enough.
func like(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok || len(parts) == 1 {
		return ok && text == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
