#!/usr/bin/env python3
"""Builds the images from a build tree, where there is Docker: images.py BUILD"""
import sys

import cluster as containers
from cluster import call

containers.require_base_image()
for images in ([], ["launch"]):
    print(call(containers.SOURCE / "deploy/images.sh", sys.argv[1], *images, timeout=550))
