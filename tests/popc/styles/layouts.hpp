#pragma once
#include <poplar/AvailableVTypes.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#ifdef __IPU__
#define EXTERNAL_CODELET true
#else
#define EXTERNAL_CODELET false
#endif
#ifdef VECTOR_AVAIL_SCALED_PTR64
static constexpr auto PTR_ALIGN64 = poplar::VectorLayout::SCALED_PTR64;
#else
static constexpr auto PTR_ALIGN64 = poplar::VectorLayout::ONE_PTR;
#endif
#ifdef VECTOR_AVAIL_SHORT_SPAN
static constexpr auto SPAN_TYPE = poplar::VectorLayout::SHORT_SPAN;
#else
static constexpr auto SPAN_TYPE = poplar::VectorLayout::SPAN;
#endif
#ifdef VECTORLIST_AVAIL_DELTAN
static constexpr auto DELTAN_TYPE = poplar::VectorListLayout::DELTAN;
#else
static constexpr auto DELTAN_TYPE = poplar::VectorListLayout::DELTANELEMENTS;
#endif
