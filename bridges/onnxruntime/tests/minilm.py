# SPDX-License-Identifier: Apache-2.0
"""The encoder of sentences all-MiniLM-L6-v2 as an ONNX model, made of the weights that PyPI's package has, and a tokenizer.

The layers are BERT's (Devlin et al. 2019) behind one another: embeddings, six times attention and a perceptron with
normalisations behind both, the mean over the words, its length made 1.
"""
import json
import math
import struct
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HIDDEN, HEADS, LAYERS, EPSILON = 384, 12, 6, 1e-12


def read_safetensors(data):
    """A header in JSON, then the tensors' bytes."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[8 + length + first:8 + length + last], np.float32).reshape(entry["shape"])
    return tensors


class Builder:
    def __init__(self, weights):
        self.weights, self.nodes, self.constants, self.n = weights, [], {}, 0

    def add(self, op, *inputs, **attributes):
        self.n += 1
        name = "v%d" % self.n
        self.nodes.append(helper.make_node(op, [self.constant(i) for i in inputs], [name], **attributes))
        return name

    def constant(self, value):
        """A name stays; an array becomes a constant."""
        if isinstance(value, str):
            return value
        name = "c%d" % len(self.constants)
        self.constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def linear(self, x, name):
        y = self.add("MatMul", x, np.ascontiguousarray(self.weights[name + ".weight"].T))
        return self.add("Add", y, self.weights[name + ".bias"])

    def norm(self, x, name):
        return self.add("LayerNormalization", x, self.weights[name + ".weight"], self.weights[name + ".bias"],
                        axis=-1, epsilon=EPSILON)

    def heads(self, x, name, order):
        y = self.add("Reshape", self.linear(x, name), np.int64([0, 0, HEADS, HIDDEN // HEADS]))
        return self.add("Transpose", y, perm=order)

    def layer(self, x, bias, name):
        own = name + "attention.self."
        q, k = self.heads(x, own + "query", [0, 2, 1, 3]), self.heads(x, own + "key", [0, 2, 3, 1])
        scores = self.add("Mul", self.add("MatMul", q, k), np.float32(1 / math.sqrt(HIDDEN // HEADS)))
        shares = self.add("Softmax", self.add("Add", scores, bias), axis=-1)
        y = self.add("MatMul", shares, self.heads(x, own + "value", [0, 2, 1, 3]))
        y = self.add("Reshape", self.add("Transpose", y, perm=[0, 2, 1, 3]), np.int64([0, 0, HIDDEN]))
        x = self.norm(self.add("Add", self.linear(y, name + "attention.output.dense"), x), name + "attention.output.LayerNorm")
        y = self.add("Gelu", self.linear(x, name + "intermediate.dense"))
        return self.norm(self.add("Add", self.linear(y, name + "output.dense"), x), name + "output.LayerNorm")


def make_model(weights, words):
    """Inputs ids and mask [batch, words], f32 mask; output [batch, 384]."""
    b = Builder(weights)
    x = b.add("Gather", weights["embeddings.word_embeddings.weight"], "ids")
    places = weights["embeddings.position_embeddings.weight"][:words] + weights["embeddings.token_type_embeddings.weight"][0]
    x = b.norm(b.add("Add", x, places), "embeddings.LayerNorm")
    bias = b.add("Unsqueeze", b.add("Mul", b.add("Sub", "mask", np.float32(1)), np.float32(1e4)), np.int64([1, 2]))
    for layer in range(LAYERS):
        x = b.layer(x, bias, "encoder.layer.%d." % layer)
    column = b.add("Unsqueeze", "mask", np.int64([2]))
    mean = b.add("Div", b.add("ReduceSum", b.add("Mul", x, column), np.int64([1]), keepdims=0),
                 b.add("ReduceSum", "mask", np.int64([1]), keepdims=1))
    y = b.add("Div", mean, b.add("ReduceL2", mean, np.int64([1]), keepdims=1))
    graph = helper.make_graph(
        b.nodes, "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", words]),
         helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["batch", words])],
        [helper.make_tensor_value_info(y, TensorProto.FLOAT, ["batch", HIDDEN])], list(b.constants.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def load(path, words):
    """The model for sentences of so many tokens, from the package's archive, and its tokenizer."""
    from tokenizers import Tokenizer  # needed here alone

    with zipfile.ZipFile(path) as archive:
        weights = read_safetensors(archive.read("model.safetensors"))
        tokenizer = Tokenizer.from_str(archive.read("tokenizer.json").decode())
    tokenizer.enable_padding(length=words)
    tokenizer.enable_truncation(words)
    return make_model(weights, words), tokenizer
