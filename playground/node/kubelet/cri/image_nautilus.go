//go:build !js || cel

package cri

// nautilus is what upstream's end-to-end tests update: a server that says which picture it shows. Upstream: test/images/nautilus.
var nautilus = Behaviour{
	Images: []string{"nautilus"}, Root: "/usr/share/nginx/html",
	Files: map[string]string{"/usr/share/nginx/html/data.json": `{"image": "nautilus.jpg"}`},
}

func init() { rareImages = append(rareImages, &nautilus) }
