//go:build !js || cel

package cri

// nautilus is what upstream's end-to-end tests update: a server that says which picture it shows. Upstream: test/images/nautilus.
var nautilus = Behaviour{
	Images: []string{"nautilus"}, SizeBytes: 49642095, Cmd: []string{"nginx", "-g", "daemon off;"}, Memory: 9 << 20, Root: "/usr/share/nginx/html",
	Files: map[string]string{"/usr/share/nginx/html/data.json": "{\n\"image\": \"nautilus.jpg\"\n}\n"},
}

func init() { rareImages = append(rareImages, &nautilus) }
