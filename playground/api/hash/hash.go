// Package hash makes of what an object contains something short for its name.
package hash

import (
	"encoding/json"
	"fmt"
	"strings"

	"kubewalk/playground/api/corev1"
)

// consonants stand where a number in base 16 has vowels, or digits that look like letters: so it spells nothing.
var consonants = strings.NewReplacer("0", "g", "1", "h", "3", "k", "a", "m", "e", "t")

// Content is what the name of a ConfigMap or a Secret ends with, whose content this is.
// Upstream: kubectl/pkg/util/hash/hash.go, hash and encodeHash; kustomize/api/hasher/hasher.go has the same.
func Content(content map[string]any) string {
	text, _ := json.Marshal(content) // texts, and maps of texts and bytes
	sum := SHA256(string(text))
	return consonants.Replace(fmt.Sprintf("%x", sum[:5]))
}

// ConfigMap is what kubectl create configmap --append-hash puts behind the name. Upstream: hash.go, ConfigMapHash.
func ConfigMap(cm *corev1.ConfigMap) string {
	content := map[string]any{"kind": "ConfigMap", "name": cm.Name, "data": cm.Data}
	if len(cm.BinaryData) > 0 {
		content["binaryData"] = cm.BinaryData
	}
	return Content(content)
}

// Secret is what kubectl create secret --append-hash puts behind the name. Upstream: hash.go, SecretHash.
func Secret(secret *corev1.Secret) string {
	return Content(map[string]any{"kind": "Secret", "type": secret.Type, "name": secret.Name, "data": secret.Data})
}
